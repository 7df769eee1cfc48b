// NCCL between two hosts whose networks are as people have them. The hosts share this machine's cards: with two or more
// each has one of its own, with one both use it (to NCCL they are two machines, since their names differ).
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"
#include "tests/support/cannot_run.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr long long lowest = 8;
constexpr long long highest = 1 << 20;

class GpuNetwork : public NetworkLab {
 protected:
  static void SetUpTestSuite() { Lab::SetUpTestSuite(); }

  void SetUp() override {
    NetworkLab::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const CommandResult listed = run_command({"nvidia-smi", "-L"});
    for (std::size_t at = listed.out.find("GPU "); at != std::string::npos; at = listed.out.find("\nGPU ", at + 1))
      ++gpus_;
    if (gpus_ == 0) GTEST_SKIP() << "there is no NVIDIA GPU here";
    docker0_on_a_.emplace(*lab, "a", std::vector<std::string>{"docker0"});
    docker0_on_b_.emplace(*lab, "b", std::vector<std::string>{"docker0"});
  }

  void TearDown() override {
    docker0_on_b_.reset();
    docker0_on_a_.reset();
    NetworkLab::TearDown();
  }

  /// a and b with one card each; `of_b` stands behind "#:" for b.
  std::string two_hosts(const std::string& of_b = "") const {
    return hostfile("192.168.1.5 slots=1 #: gpus=0\n192.168.1.6 slots=1 port=2222 #: gpus=" +
                    std::string(gpus_ > 1 ? "1" : "0") + " " + of_b + "\n");
  }

  static CommandResult ringrun(const std::vector<std::string>& options, const std::string& hosts) {
    std::vector<std::string> words{built_program("ringrun"), "-v"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"-hostfile", hosts});
    add_worker(words);
    return on("a", words, seconds(120));
  }

  /// Each rank takes the card of its host by a little shell, as plain mpirun has no word for it.
  CommandResult plain_mpirun(const std::vector<std::string>& options) const {
    std::vector<std::string> words{"mpirun", "-np", "2", "-hostfile", "hostfiles/ab"};
    words.insert(words.end(), options.begin(), options.end());
    const std::string card = gpus_ > 1 ? "$OMPI_COMM_WORLD_RANK" : "0";
    words.insert(words.end(), {"sh", "-c", "CUDA_VISIBLE_DEVICES=" + card + " exec \"$@\"", "sh"});
    add_worker(words);
    return on("a", words, seconds(120));
  }

  static void add_worker(std::vector<std::string>& words) {
    words.insert(words.end(),
                 {"./worker", "--backend", "nccl", "-b", "8", "-e", "1M", "-f", "4", "-n", "3", "-T", "60"});
  }

 private:
  int gpus_ = 0;
  std::optional<HostChange> docker0_on_a_;
  std::optional<HostChange> docker0_on_b_;
};

TEST_F(GpuNetwork, RingrunSweepsThoughDocker0IsOnBothHosts) {
  const auto result = ringrun({}, two_hosts());
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  expect_right_rows(result.out, lowest, highest, 4);
  EXPECT_THAT(result.err, ContainsRegex("uses eth0 192\\.168\\.1\\.5"));
  EXPECT_THAT(result.err, ContainsRegex("uses enp3s0 192\\.168\\.1\\.6"));
  std::cout << result.out;
}

TEST_F(GpuNetwork, AnInterfaceForcedToTheBridgeStopsTheLaunch) {
  const auto result = ringrun({}, two_hosts("env.NCCL_SOCKET_IFNAME=docker0"));
  const auto finding = expect_stopped(result, "I1");
  EXPECT_THAT(finding.text, HasSubstr("docker0"));
}

TEST_F(GpuNetwork, WithoutPreflightTheHangIsExplainedAndEnded) {
  const auto result = ringrun({"--no-preflight"}, two_hosts("env.NCCL_SOCKET_IFNAME=docker0"));
  EXPECT_EQ(result.exit_code, 3) << result.err << result.out;
  EXPECT_LT(result.elapsed, seconds(60));
  EXPECT_THAT(result.err, HasSubstr("172.17.0.1"));
  EXPECT_THAT(result.err, HasSubstr("ringrun: error "));
  std::cout << result.elapsed.count() << " ms\n" << result.err;
}

TEST_F(GpuNetwork, TheWorkerChoosesByItselfUnderPlainMpirun) {
  const auto result = plain_mpirun({});
  EXPECT_EQ(result.exit_code, 0) << result.err << result.out;
  expect_right_rows(result.out, lowest, highest, 4);
  EXPECT_THAT(result.out, HasSubstr("# Network: a uses eth0 192.168.1.5 for NCCL"));
  EXPECT_THAT(result.out, HasSubstr("# Network: b uses enp3s0 192.168.1.6 for NCCL"));
}

TEST_F(GpuNetwork, TheWorkerRefusesABridgeUnderPlainMpirun) {
  const auto result = plain_mpirun({"-x", "NCCL_SOCKET_IFNAME=docker0"});
  EXPECT_EQ(result.exit_code, 8) << result.err << result.out;
  EXPECT_LT(result.elapsed, seconds(30));
  EXPECT_THAT(result.err, HasSubstr("error I1"));
  EXPECT_THAT(result.err, HasSubstr("docker0"));
}

TEST_F(GpuNetwork, ALinkThatBreaksInMidSweepEndsTheJob) {
  auto job = start("a", {built_program("ringrun"), "-hostfile", two_hosts(), "./worker", "--backend", "nccl", "-b",
                         "1M", "-e", "1M", "-n", "5", "-N", "0", "-T", "5"});
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  on("b", {"ip", "link", "set", "enp3s0", "down"});
  const auto result = job.finish();
  on("b", {"ip", "link", "set", "enp3s0", "up"});
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_THAT(result.out, HasSubstr("did not arrive: rank 1 on b"));
  EXPECT_LT(result.elapsed, seconds(90));
  std::cout << result.elapsed.count() << " ms\n" << result.out;
}

}  // namespace
}  // namespace ringrun::test
