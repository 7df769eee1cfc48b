// The sweep over two hosts, by plain mpirun and by ringrun, through the agent and through real ssh.
#include <gmock/gmock.h>

#include "tests/lab/lab_fixture.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

void expect_right_sweep(const CommandResult& result, long long lowest, long long highest) {
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  EXPECT_THAT(result.out, ContainsRegex("#  Rank  0 Group  0 Pid +[0-9]+ on +a (device|host memory)"));
  EXPECT_THAT(result.out, ContainsRegex("#  Rank  1 Group  0 Pid +[0-9]+ on +b (device|host memory)"));
  expect_right_rows(result.out, lowest, highest);
  EXPECT_THAT(result.out, HasSubstr("# Out of bounds values : 0 OK"));
}

struct Launcher {
  const char* name;
  std::string program;
};

void PrintTo(const Launcher& launcher, std::ostream* stream) { *stream << launcher.name; }

class LabSweep : public Lab, public testing::WithParamInterface<Launcher> {
 protected:
  static std::vector<std::string> command() {
    return {GetParam().program, "-np", "2", "-hostfile", "hostfiles/ab", "./worker", "-b", "8", "-e", "1M", "-f", "2"};
  }
};

TEST_P(LabSweep, RunsOverTwoHosts) { expect_right_sweep(on("a", command()), 8, 1 << 20); }

TEST_P(LabSweep, RunsThroughRealSsh) {
  start_sshd("b", 2222);
  expect_right_sweep(on_with_ssh("a", command()), 8, 1 << 20);
}

INSTANTIATE_TEST_SUITE_P(By, LabSweep,
                         testing::Values(Launcher{"mpirun", "mpirun"}, Launcher{"ringrun", built_program("ringrun")}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

class LabSweepOnOpenMpi5 : public LabSweep {
 protected:
  static void SetUpTestSuite() { bring_up_with_open_mpi(5, 2); }
};

TEST_P(LabSweepOnOpenMpi5, RunsOverTwoHosts) {
  const auto result = on("a", command());
  expect_right_sweep(result, 8, 1 << 20);
  EXPECT_THAT(result.out, HasSubstr("mpi=Open MPI v5."));
}

INSTANTIATE_TEST_SUITE_P(By, LabSweepOnOpenMpi5,
                         testing::Values(Launcher{"mpirun", "mpirun"}, Launcher{"ringrun", built_program("ringrun")}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

using LabDefaultSweep = Lab;

TEST_F(LabDefaultSweep, RingrunWithoutAProgramSweepsFrom8BytesTo32M) {
  expect_right_sweep(on("a", {built_program("ringrun"), "-hostfile", "hostfiles/ab"}), 8, 32 << 20);
}

}  // namespace
}  // namespace ringrun::test
