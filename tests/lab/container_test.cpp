// A real docker engine: a container on its host's network works, one on the engine's bridge is named with its cure.
#include <gmock/gmock.h>

#include "tests/lab/docker_lab.hpp"
#include "tests/support/cannot_run.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ContainerLab : public DockerLab {
 protected:
  /// In place of b in hostfiles/ab, at port 2222 of its address.
  static Container container(const std::vector<std::string>& options) { return {*lab, "b", "c", options}; }

 private:
};

TEST_F(ContainerLab, TheEnginesDocker0OnBothHostsIsLeftAlone) {
  const DockerEngine other(*lab, "a");
  expect_right_sweep_over_the_lan(sweep());
  expect_right_sweep(plain_mpirun());
}

TEST_F(ContainerLab, OneOnItsHostsNetworkRuns) {
  auto node = container({"--network", "host"});
  node.start_sshd(2222);
  const auto result = sweep_with_ssh();
  expect_right_sweep(result);
  EXPECT_THAT(result.out + result.err, HasSubstr("uses enp3s0 192.168.1.6"));
}

TEST_F(ContainerLab, OneOnTheBridgeNamedByItsOwnAddressIsC1) {
  const auto node = container({});
  // The shell gets in by `docker exec`; nothing else does.
  const auto finding = expect_stopped(sweep({}, hostfile("192.168.1.5 slots=1\n172.17.0.2 slots=1\n")), "C1b?");
  EXPECT_THAT(finding.text, HasSubstr("172.17.0.2"));
  EXPECT_THAT(finding.text, HasSubstr("docker run"));
  EXPECT_THAT(finding.text, HasSubstr("--network host"));
}

TEST_F(ContainerLab, OneBehindAPublishedSshdIsC1b) {
  auto node = container({"-p", "2222:22"});
  node.start_sshd(22);
  const auto finding = expect_stopped(sweep_with_ssh(), "C1b");
  EXPECT_THAT(finding.hosts, ContainsRegex("192\\.168\\.1\\.6"));
  EXPECT_THAT(finding.text, HasSubstr("172.17.0.2"));
  EXPECT_THAT(finding.text, HasSubstr("192.168.1.6"));
  EXPECT_THAT(finding.text, HasSubstr("docker run"));
  EXPECT_THAT(finding.text, HasSubstr("--network host"));
}

TEST_F(ContainerLab, TheDoctorNamesItInItsReportToo) {
  const auto node = container({"-p", "2222:22"});
  const auto text = on("a", {built_program("ringrun"), "--doctor", "-hostfile", "hostfiles/ab"});
  EXPECT_EQ(text.exit_code, 3) << text.err << text.out;
  EXPECT_THAT(text.out, HasSubstr("C1b"));
  const auto json = on("a", {built_program("ringrun"), "--doctor", "--json", "-hostfile", "hostfiles/ab"});
  EXPECT_EQ(json.exit_code, 3) << json.err << json.out;
  EXPECT_THAT(json.out, ContainsRegex("\"id\": ?\"C1b\""));
}

TEST_F(ContainerLab, OnlyOneFaultIsNamedForOneContainer) {
  const auto node = container({"-p", "2222:22"});
  const auto result = sweep();
  expect_stopped(result, "C1b");
  for (const auto& [id, finding] : findings_in(result.err)) {
    const bool another_error = id != "C1b" && finding.severity == "error";
    EXPECT_FALSE(another_error) << finding.text;
  }
}

TEST_F(ContainerLab, ItsSmallSharedMemoryIsC3ForNccl) {
  const std::vector<std::string> doctor{
      built_program("ringrun"), "--doctor", "--transport", "nccl", "-hostfile", "hostfiles/ab"};
  {
    const auto node = container({"--network", "host"});
    const auto result = on("a", doctor);
    EXPECT_THAT(result.out, ContainsRegex("C3 on [^\n]*192\\.168\\.1\\.6")) << result.err;
    EXPECT_THAT(result.out, ContainsRegex("--shm-size|--ipc"));
  }
  const auto node = container({"--network", "host", "--shm-size", "1g"});
  EXPECT_THAT(on("a", doctor).out, Not(ContainsRegex("C3 on")));
}

TEST_F(ContainerLab, ItsLockedMemoryLimitIsC7ForNccl) {
  const auto node = container({"--network", "host", "--shm-size", "1g", "--ulimit", "memlock=65536"});
  const auto result =
      on("a", {built_program("ringrun"), "--doctor", "--transport", "nccl", "-hostfile", "hostfiles/ab"});
  EXPECT_THAT(result.out, ContainsRegex("C7 on [^\n]*192\\.168\\.1\\.6")) << result.err;
  EXPECT_THAT(result.out, HasSubstr("memlock"));
}

}  // namespace
}  // namespace ringrun::test
