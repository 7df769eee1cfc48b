#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/mpirun.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(WorkerStatistics, NameTheRankThatComesLateThoughItHasTheShortestTimeInside) {
  const auto file = std::filesystem::temp_directory_path() / ("ringrun-late-" + std::to_string(getpid()) + ".json");
  // Later than a busy machine lets a rank wait for a processor.
  const auto run = mpirun(
      3, {"./worker", "--backend", "mpi", "-b", "4K", "-e", "4K", "-n", "10", "--stats", "-c", "0", "-J", file},
      {.env = {{"LD_PRELOAD", LATE_RANK}, {"LATE_RANK", "1"}, {"LATE_MICROSECONDS", "40000"}, {"LATE_COUNT", "1024"}}});
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  std::filesystem::remove(file);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("out-of-place: min [0-9.]+ p50 [0-9.]+ p95 .* CV .* iterations"));
  EXPECT_THAT(run.out, ContainsRegex("rank   1 on .* arrives [0-9.]+ us late"));
  EXPECT_THAT(run.out, HasSubstr("; straggler: rank 1 on "));
  ASSERT_FALSE(json.is_discarded());
  const auto& stats = json["results"][0]["ringrun"]["out_of_place_stats"];
  EXPECT_EQ(stats["straggler"], 1);
  EXPECT_GT(stats["ranks"][1]["median_late_us"], 20000.0);
  EXPECT_GE(stats["iterations"], 10);
}

TEST(WorkerStatistics, OfGroupsGoOnSideBySide) {
  const auto run = mpirun(4, {"./worker", "--backend", "mpi", "-b", "1K", "-e", "1K", "-n", "6", "--stats", "-z", "1"},
                          {.env = {{"NCCL_TESTS_SPLIT", "MOD 2"}}});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("in-place: min "));
}

TEST(WorkerStatistics, OfGroupsNameRanksAsTheWholeJobCountsThem) {
  const auto file = std::filesystem::temp_directory_path() / ("ringrun-groups-" + std::to_string(getpid()) + ".json");
  const auto run =
      mpirun(4, {"./worker", "--backend", "mpi", "-b", "4K", "-e", "4K", "-n", "6", "--stats", "-c", "0", "-J", file},
             {.env = {{"NCCL_TESTS_SPLIT", "MOD 2"},
                      {"LD_PRELOAD", LATE_RANK},
                      {"LATE_RANK", "1"},
                      {"LATE_MICROSECONDS", "40000"},
                      {"LATE_COUNT", "1024"}}});
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  std::filesystem::remove(file);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  // The second rank of each group: those are processes 0 and 2, and 1 and 3.
  EXPECT_THAT(run.out, HasSubstr("; straggler: rank 2 on "));
  EXPECT_THAT(run.out, HasSubstr("; straggler: rank 3 on "));
  ASSERT_FALSE(json.is_discarded());
  const auto& stats = json["results"][1]["ringrun"]["out_of_place_stats"];
  EXPECT_EQ(stats["straggler"], 3);
  EXPECT_EQ(stats["ranks"][0]["rank"], 1);
}

}  // namespace
}  // namespace ringrun::test
