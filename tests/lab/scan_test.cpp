// Four hosts, one of which has a slow card: both scans name it. Links that are slower than this machine's cores make
// the figures those of the links, however busy the machine is.
#include <gmock/gmock.h>

#include <memory>
#include <vector>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class LabScan : public NetworkLab {
 protected:
  static void SetUpTestSuite() { bring_up({.hosts = 4}); }

  /// Every host's card at 100 Mb/s, but one, by its name.
  static std::vector<std::unique_ptr<HostChange>> links(const std::string& slow_host) {
    std::vector<std::unique_ptr<HostChange>> made;
    for (const std::string& host : hosts()) {
      made.push_back(std::make_unique<HostChange>(
          *lab, host, std::vector<std::string>{"slow", host == slow_host ? "10mbit" : "100mbit"}));
    }
    return made;
  }

  static CommandResult scan(const std::string& what, int ranks = 4) {
    const std::string file =
        shared_file("four", "192.168.1.5 slots=1\n192.168.1.6 slots=1\n192.168.1.7 slots=1\n192.168.1.8 slots=1\n");
    return on("a", {"mpirun", "--mca", "mpi_yield_when_idle", "1", "-np", std::to_string(ranks), "-hostfile", file,
                    "./worker", "--backend", "mpi", "-b", "128K", "-e", "128K", "--scan", what});
  }
};

TEST_F(LabScan, OfPairsNamesTheSlowHost) {
  const auto slow = links("c");
  const auto run = scan("pairs");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("# Scan: all pairs of 4 hosts, side by side where they share no host: 3 rounds"));
  EXPECT_THAT(run.out, ContainsRegex("\n +a +b +c +d\n +a +- +[0-9.]+ +[0-9.]+ +[0-9.]+\n"));
  EXPECT_THAT(run.out, HasSubstr("# Slow host: c: ")) << run.out;
  EXPECT_THAT(run.out, ContainsRegex("# Slow host: [^#]*# Slow pairs: none")) << "and no other";
}

TEST_F(LabScan, OfPairsOfThreeNamesTheSlowHostToo) {
  const auto slow = links("b");
  const auto run = scan("pairs", 3);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("3 hosts, side by side where they share no host: 3 rounds"));
  EXPECT_THAT(run.out, HasSubstr("# Slow host: b: ")) << run.out;
}

TEST_F(LabScan, LeavingOneOutNamesTheSlowHost) {
  const auto slow = links("d");
  const auto run = scan("leave-one-out");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("\nall +[0-9.]+\nwithout a +[0-9.]+\nwithout b +[0-9.]+\n"));
  EXPECT_THAT(run.out, HasSubstr("# Slow host: d: without it")) << run.out;
  EXPECT_THAT(run.out, Not(ContainsRegex("# Slow host: [abc]")));
}

TEST_F(LabScan, NamesNobodyWhereAllAreAlike) {
  const auto alike = links("");
  const auto run = scan("pairs");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("# Slow hosts: none\n# Slow pairs: none\n")) << run.out;
}

}  // namespace
}  // namespace ringrun::test
