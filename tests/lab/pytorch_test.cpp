// The PyTorch example over two hosts, by the real PyTorch: where its ranks meet, and how each wait ends.
#include "tests/lab/pytorch.hpp"

#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"
#include "tests/support/cannot_run.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string by_address = "tcp://192.168.1.5:8888";

class LabPyTorch : public NetworkLab {
 protected:
  static void SetUpTestSuite() {
    NetworkLab::SetUpTestSuite();
    if (missing.empty()) missing = why_no_pytorch();
  }
  /// `LAUNCHER… -hostfile hostfiles/ab python3 ddp_allreduce.py OPTIONS…`, with little data.
  static std::vector<std::string> line(std::vector<std::string> launcher,
                                       const std::vector<std::string>& options = {}) {
    launcher.insert(launcher.end(), {"-hostfile", "hostfiles/ab", "python3", ddp_allreduce, "--size", "1M"});
    launcher.insert(launcher.end(), options.begin(), options.end());
    return launcher;
  }
  /// The same by ringrun.
  static std::vector<std::string> job(const std::vector<std::string>& options = {}) {
    return line({built_program("ringrun")}, options);
  }
  /// The same by ringrun, with a shell's `words` in each rank first.
  static std::vector<std::string> job_behind(const std::string& words, const std::string& options) {
    return {built_program("ringrun"),
            "-hostfile",
            "hostfiles/ab",
            "sh",
            "-c",
            words + "; exec python3 " + ddp_allreduce + " --size 1M " + options};
  }
  /// An endless job whose rank on b gets a signal once both ranks are there.
  static CommandResult signal_rank_on_b(const std::string& signal, const std::string& timeout) {
    auto running = start("a", job({"--iterations", "1000000", "--timeout", timeout}));
    EXPECT_TRUE(running.wait_for_output("rank 0 of 2 on a") && running.wait_for_output("rank 1 of 2 on b"))
        << running.output();
    send_signal("b", signal, pid_of("b", "python3"));
    return running.finish();
  }
};

TEST_F(LabPyTorch, RanksMeetWhereTheirEnvironmentSays) {
  const auto result = on("a", job());
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_all_reduce(result.out, "192.168.1.5:8888");
}

TEST_F(LabPyTorch, RanksMeetAtAnAddressThatIsSaid) {
  const auto result = on("a", job({"--init-method", by_address}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_all_reduce(result.out, "192.168.1.5:8888");
}

TEST_F(LabPyTorch, PlainMpirunNeedsTheAddressAlone) {
  const auto without = on("a", line({"mpirun", "-np", "2"}));
  EXPECT_EQ(without.exit_code, 2) << without.err;
  EXPECT_THAT(without.err, HasSubstr("MASTER_ADDR is not set"));
  const auto result = on("a", line({"mpirun", "-np", "2"}, {"--init-method", by_address}));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_all_reduce(result.out, "192.168.1.5:8888");
}

TEST_F(LabPyTorch, AWrongMasterPortIsNamedByTheRankThatHasIt) {
  const auto result = on("a", job_behind("export MASTER_PORT=$((MASTER_PORT + RANK))", "--timeout 3"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("rank 1 on b: joining at 192.168.1.5:8889: nothing can be reached there"));
}

TEST_F(LabPyTorch, RankZeroSaysThatNotEveryRankCame) {
  const auto result = on("a", job_behind("if [ $RANK = 1 ]; then exec sleep 30; fi", "--timeout 2"));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("rank 0 on a: joining at 192.168.1.5:8888: not every rank came"));
}

TEST_F(LabPyTorch, APortThatIsTakenIsNamed) {
  const auto port = start("a", {"python3", "-c",
                                "import socket, time; s = socket.create_server((\"\", 8888)); "
                                "print(\"taken\", flush=True); time.sleep(30)"});
  ASSERT_TRUE(port.wait_for_output("taken"));
  // ringrun itself would refuse the port before the start.
  auto words = job({"--timeout", "5"});
  words.insert(words.begin() + 1, "--no-preflight");
  const auto result = on("a", words);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("rank 0 on a: joining at 192.168.1.5:8888: the port is taken on this host"));
  send_signal("a", "TERM", pid_of("a", "python3"));
}

TEST_F(LabPyTorch, ANameThatNobodyKnowsIsNamedAtOnce) {
  const auto result = on("a", job({"--init-method", "tcp://nowhere:8888"}));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("does not know the name nowhere"));
}

TEST_F(LabPyTorch, AKilledRankEndsTheJobWithItsSignal) {
  const auto result = signal_rank_on_b("KILL", "30");
  EXPECT_EQ(result.exit_code, 137) << result.out;
  EXPECT_THAT(result.out, HasSubstr("ringrun: rank 1 on b: killed by signal 9"));
}

TEST_F(LabPyTorch, AStoppedRankIsMissedByTheOtherInTime) {
  const auto result = signal_rank_on_b("STOP", "3");
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_THAT(result.out,
              ContainsRegex("rank 0 on a: the (timed )?all-reduce: another rank did not take part in time"));
}

TEST_F(LabPyTorch, ARankMayBeInAContainer) {
  if (const auto docker = why_no_docker(); !docker.empty()) RINGRUN_CANNOT_RUN(docker);
  const DockerEngine engine(*lab, "b");
  Container node(*lab, "b", "c", {"--network", "host", "--hostname", "b"});
  node.start_sshd(2222);
  for (const auto& options : {std::vector<std::string>{}, {"--init-method", by_address}}) {
    const auto result = on_with_ssh("a", job(options));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    expect_right_all_reduce(result.out, "192.168.1.5:8888");
  }
}

}  // namespace
}  // namespace ringrun::test
