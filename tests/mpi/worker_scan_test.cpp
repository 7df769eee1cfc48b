// Scans of the ranks of this host; of hosts in the lab.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/mpirun.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

CommandResult scan(int ranks, const std::string& what, const std::vector<std::string>& options = {}) {
  std::vector<std::string> words{"./worker", "--backend", "mpi", "-b", "16K", "-e", "16K", "--scan", what};
  words.insert(words.end(), options.begin(), options.end());
  return mpirun(ranks, words);
}

TEST(WorkerScan, MeasuresEveryPairOfRanksAlsoOfAnOddNumber) {
  for (int ranks : {2, 3, 4}) {
    const auto file = std::filesystem::temp_directory_path() / ("ringrun-scan-" + std::to_string(getpid()) + ".json");
    const auto run = scan(ranks, "pairs:ranks", {"-J", file});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out,
                ContainsRegex("# Scan: all pairs of [234] ranks, .*, each all-reduce of 16384 bytes of float"));
    std::ifstream in(file);
    const auto json = nlohmann::json::parse(in).at("ringrun").at("scan");
    std::filesystem::remove(file);
    EXPECT_EQ(json.at("complete"), true);
    for (int one = 0; one < ranks; ++one) {
      for (int other = 0; other < ranks; ++other) {
        const auto& value = json.at("matrix").at(static_cast<std::size_t>(one)).at(static_cast<std::size_t>(other));
        if (one == other) {
          EXPECT_TRUE(value.is_null());
        } else {
          EXPECT_GT(value.at("bus_bw").get<double>(), 0);
        }
      }
    }
    EXPECT_EQ(run.err, "") << "progress belongs to terminals";
  }
}

TEST(WorkerScan, IsOfAnyCollective) {
  for (const char* collective : {"sendrecv", "hypercube", "broadcast", "alltoallv"}) {
    const auto run = scan(3, "pairs:ranks", {"--collective", collective});
    EXPECT_EQ(run.exit_code, 0) << collective << run.err;
  }
}

TEST(WorkerScan, MeasuresTheLargestSizeAlsoWhereNoStepReachesIt) {
  const auto run =
      mpirun(2, {"./worker", "--backend", "mpi", "-b", "8", "-e", "4K", "-n", "3", "--scan", "pairs:ranks"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("each all-reduce of 4096 bytes of float"));
}

TEST(WorkerScan, IsRefusedWhereThereIsNothingToCompare) {
  const auto hosts = scan(2, "pairs");
  EXPECT_EQ(hosts.exit_code, 5);
  EXPECT_THAT(hosts.err, HasSubstr("worker: --scan pairs needs 2 hosts, and this job has 1\n"));
  EXPECT_THAT(hosts.err, HasSubstr("--scan pairs:ranks"));
  EXPECT_EQ(scan(2, "leave-one-out").exit_code, 5);
  EXPECT_EQ(scan(1, "pairs:ranks").exit_code, 5);
}

TEST(WorkerScan, IsRefusedForATypeThatTheBackendLacks) {
  const auto run = scan(2, "pairs:ranks", {"-d", "half"});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_THAT(run.err, HasSubstr("MPI has no element type half"));
}

TEST(WorkerScan, EndsAtItsDeadlineWhereARankDoesNotArrive) {
  // Rank 1 is stopped once the scan has begun, which then takes seconds.
  const auto file = std::filesystem::temp_directory_path() / ("ringrun-scan-" + std::to_string(getpid()) + ".txt");
  std::ofstream(file).flush();
  const auto run = mpirun(
      4, {"sh", "-c",
          "case $OMPI_COMM_WORLD_RANK in 0) exec >" + file.string() + " ;; 1) (until grep -q '# Bus' " + file.string() +
              "; do sleep 0.1; done; kill -STOP $$) & ;; esac; exec ./worker "
              "--backend mpi -b 4M -e 4M -n 2000 --scan pairs:ranks -T 4"});
  std::stringstream out;
  out << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("did not arrive: rank 1 on "));
  EXPECT_THAT(out.str(), HasSubstr("# PARTIAL: ended by a deadline"));
  EXPECT_LT(run.elapsed, std::chrono::seconds(30));
}

}  // namespace
}  // namespace ringrun::test
