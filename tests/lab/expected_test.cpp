// What the path between two hosts can carry, beside what the sweep reached.
#include <gmock/gmock.h>

#include <regex>

#include "tests/lab/network_lab.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class LabExpected : public NetworkLab {
 protected:
  static void SetUpTestSuite() { Lab::SetUpTestSuite(); }

  static CommandResult sweep(const std::vector<std::string>& options) {
    std::vector<std::string> words{"mpirun", "-np", "2",  "-hostfile", "hostfiles/ab", "./worker",  "-b", "4M",
                                   "-e",     "4M",  "-n", "2",         "--expected",   "--backend", "mpi"};
    words.insert(words.end(), options.begin(), options.end());
    return on("a", words);
  }

  static double reached(const std::string& table) {
    std::smatch found;
    return std::regex_search(table, found, std::regex("reached ([0-9.]+) % out-of-place")) ? std::stod(found[1]) : -1;
  }
};

TEST_F(LabExpected, NamesTheCardsThatCarriedTheDataAndTheirRate) {
  const auto run = sweep({});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_right_rows(run.out, 4 << 20, 4 << 20);
  EXPECT_THAT(run.out, HasSubstr("passes eth0 (10 Gb/s, TCP at MTU 1500, a virtual card's word) of a\n"));
  EXPECT_THAT(run.out, HasSubstr("passes enp3s0 (10 Gb/s, TCP at MTU 1500, a virtual card's word) of b\n"));
  EXPECT_THAT(run.out, ContainsRegex("#   ceiling 1.18 GB/s, reached [0-9.]+ % out-of-place, [0-9.]+ % in-place\n"));
}

TEST_F(LabExpected, ShowsALinkThatCarriesAHundredthOfItsRate) {
  const HostChange slow(*lab, "b", {"slow", "100mbit"});
  const auto run = sweep({});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GT(reached(run.out), 0.2);
  EXPECT_LT(reached(run.out), 1.3);
}

TEST_F(LabExpected, IsLessForAnExchangeOfRanksThatShareACard) {
  const auto run = on("a", {"mpirun", "-np", "4", "-hostfile",
                            shared_file("two_each",
                                        "192.168.1.5 slots=2\n"
                                        "192.168.1.6 slots=2\n"),
                            "./worker", "-b", "1M", "-e", "1M", "-n", "3", "--expected", "--backend", "mpi",
                            "--collective", "alltoall"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("#   ceiling 0.88 GB/s"));
}

}  // namespace
}  // namespace ringrun::test
