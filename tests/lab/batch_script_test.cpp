// The scripts of hostfiles/ that start a job: in a real Slurm cluster, with a node file as PBS writes it, by real ssh.
#include <gmock/gmock.h>

#include "tests/lab/pytorch.hpp"
#include "tests/lab/slurm_lab.hpp"
#include "tests/support/cannot_run.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

class LabBatchScript : public SlurmLab {
 protected:
  static void expect_right_sweep(const std::string& table, const std::string& host_of_rank_1) {
    EXPECT_THAT(table, ContainsRegex("#  Rank  0 Group  0 Pid +[0-9]+ on +a (device|host memory)"));
    EXPECT_THAT(table,
                ContainsRegex("#  Rank  1 Group  0 Pid +[0-9]+ on +" + host_of_rank_1 + " (device|host memory)"));
    expect_right_rows(table, 8, 64 << 10);
  }
};

struct SlurmScript {
  const char* name;
  const char* meets_at;             ///< where PyTorch's ranks meet: how their address begins
  testing::Matcher<int> exit_code;  ///< where a rank exits with 3
};
void PrintTo(const SlurmScript& script, std::ostream* out) { *out << script.name; }

class LabSlurmScript : public LabBatchScript, public testing::WithParamInterface<SlurmScript> {
 protected:
  static std::string file(const std::string& program) {
    return "hostfiles/slurm/" + program + GetParam().name + ".sbatch";
  }
};

TEST_P(LabSlurmScript, SweepsOverBothNodes) {
  const auto result = batch_result(submit({file("sweep"), "-e", "64K"}));
  EXPECT_EQ(result.state, "COMPLETED") << result.out;
  EXPECT_EQ(result.exit_code, 0);
  expect_right_sweep(result.out, "b");
}

TEST_P(LabSlurmScript, JoinsPyTorchsRanksOnBothNodes) {
  if (const auto pytorch = why_no_pytorch(); !pytorch.empty()) RINGRUN_CANNOT_RUN(pytorch);
  const auto result = batch_result(submit({file("pytorch"), "--size", "1M"}));
  EXPECT_EQ(result.state, "COMPLETED") << result.out;
  expect_right_all_reduce(result.out, GetParam().meets_at);
}

TEST_P(LabSlurmScript, FailsWithPyTorchsProgram) {
  if (const auto pytorch = why_no_pytorch(); !pytorch.empty()) RINGRUN_CANNOT_RUN(pytorch);
  const auto result = batch_result(submit({file("pytorch"), "--init-method", "tcp://nowhere:8888"}));
  EXPECT_EQ(result.state, "FAILED") << result.out;
  EXPECT_THAT(result.exit_code, GetParam().exit_code);
  EXPECT_THAT(result.out, HasSubstr("does not know the name nowhere"));
}

// srun exits with the highest code, which may be that of a rank that it ended.
INSTANTIATE_TEST_SUITE_P(With, LabSlurmScript,
                         testing::Values(SlurmScript{"", "192.168.1.5:", testing::Eq(3)},
                                         SlurmScript{"_srun", "a:", testing::AnyOf(3, 143)}),
                         [](const auto& script) { return *script.param.name ? "SrunAlone" : "Ringrun"; });

TEST_F(LabBatchScript, PbsCountsAHostsRanksByItsLines) {
  const auto result = on("a", {"env", "PBS_NODEFILE=" + shared_file("nodes", "a\na\nb\n"),
                               "PBS_O_WORKDIR=" RINGRUN_BIN_DIR, "SWEEP=-b 8 -e 64K -f 2 -n 2", "bash", "-c",
                               "cd / && exec bash " RINGRUN_BIN_DIR "/hostfiles/examples/sweep.pbs"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_sweep(result.out, "a");
  EXPECT_THAT(result.out, ContainsRegex("#  Rank  2 Group  0 Pid +[0-9]+ on +b "));
}

class LabSshLoop : public LabBatchScript {
 protected:
  static CommandResult loop(std::vector<std::string> program, const std::string& hosts = "hostfiles/ab") {
    start_sshd("b", 2222);
    program.insert(program.begin(), {"hostfiles/examples/ssh_loop", hosts});
    return on_with_ssh("a", program);
  }
};

TEST_F(LabSshLoop, JoinsPyTorchsRanks) {
  if (const auto pytorch = why_no_pytorch(); !pytorch.empty()) RINGRUN_CANNOT_RUN(pytorch);
  const auto result = loop({"python3", ddp_allreduce, "--size", "1M"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_all_reduce(result.out, "192.168.1.5:8888");
}

TEST_F(LabSshLoop, GivesEachRankItsWordsAndEndsWithAFailedOnesCode) {
  const auto hosts = shared_file("users", "192.168.1.5 slots=1 # A\n\n192.168.1.6 username=root port=2222\n");
  const auto result = loop(
      {"sh", "-c", "echo \"$1\" $RANK of $WORLD_SIZE by $GLOO_SOCKET_IFNAME; exit $RANK", "sh", "two  words"}, hosts);
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out, HasSubstr("two  words 0 of 2 by eth0\n"));
  EXPECT_THAT(result.out, HasSubstr("two  words 1 of 2 by enp3s0\n"));
}

TEST_F(LabSshLoop, TheWorkerSaysThatItWantsAnMpirun) {
  const auto result = loop({"./worker", "-b", "8", "-e", "8"});
  EXPECT_EQ(result.exit_code, 5) << result.out;
  EXPECT_THAT(result.err, HasSubstr("RANK=1 and WORLD_SIZE=2"));
}

}  // namespace
}  // namespace ringrun::test
