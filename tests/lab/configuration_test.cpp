// What people have set, in the environment and in files, that breaks a job or looks as if it did.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Configuration : public NetworkLab {
 protected:
  static CommandResult sweep_with(const std::string& setting, const std::vector<std::string>& options = {}) {
    std::vector<std::string> words{"env", setting};
    const auto command = sweep_command(options, "hostfiles/ab");
    words.insert(words.end(), command.begin(), command.end());
    return on("a", words);
  }

  static CommandResult doctor_for_nccl() {
    return on("a", {built_program("ringrun"), "--doctor", "--transport", "nccl", "-hostfile", "hostfiles/ab"});
  }
};

TEST_F(Configuration, ATakenMasterPortIsF5WithItsHolder) {
  const auto listener = change("a", {"listener", "8888"});  // the port of hostfiles/ab
  const auto finding = expect_finding(sweep(), "F5");
  EXPECT_THAT(finding.text, HasSubstr("8888"));
  EXPECT_THAT(finding.text, HasSubstr("perl"));
}

TEST_F(Configuration, AnOwnNameThatIsLoopbackIsW8AndTheJobRuns) {
  const auto name = change("b", {"own-name-loopback"});
  const auto result = sweep();
  expect_right_sweep_over_the_lan(result);
  const auto finding = expect_finding(result, "W8");
  EXPECT_THAT(finding.hosts, ContainsRegex(host_b));
  EXPECT_THAT(finding.text, HasSubstr("127.0.1.1"));
  EXPECT_THAT(finding.text, HasSubstr("/etc/hosts"));
}

// Plain mpirun answers that there are not enough slots.
TEST_F(Configuration, AnIsolatedLaunchModuleIsV8AndTheJobRuns) {
  const auto result = sweep_with("OMPI_MCA_plm=isolated");
  expect_right_sweep_over_the_lan(result);
  EXPECT_THAT(expect_finding(result, "V8").text, HasSubstr("OMPI_MCA_plm"));
}

TEST_F(Configuration, AnInterfaceNameThatIsABridgeStopsNccl) {
  const auto on_a = docker0("a");
  const auto on_b = docker0("b");
  const auto finding = expect_stopped(sweep_with("NCCL_SOCKET_IFNAME=docker0", {"--transport", "nccl"}), "I1");
  EXPECT_THAT(finding.text, HasSubstr("docker0"));
  EXPECT_THAT(finding.text, HasSubstr("NCCL_SOCKET_IFNAME"));
}

TEST_F(Configuration, AnInterfaceNameThatOneHostLacksStopsNccl) {
  const auto finding = expect_stopped(sweep_with("NCCL_SOCKET_IFNAME=eth0", {"--transport", "nccl"}), "I3");
  EXPECT_THAT(finding.hosts, ContainsRegex(host_b));
  EXPECT_THAT(finding.text, HasSubstr("eth0"));
  EXPECT_THAT(finding.text, HasSubstr("enp3s0")) << "the name that would do there";
}

TEST_F(Configuration, AnInterfaceNameThatOneHostLacksDoesNotStopMpi) {
  expect_right_sweep_over_the_lan(sweep_with("NCCL_SOCKET_IFNAME=eth0", {"--transport", "mpi"}));
}

TEST_F(Configuration, AnInterfaceNameForEachHostIsTaken) {
  expect_right_sweep_over_the_lan(sweep({"--nic", "192.168.1.5=eth0", "--nic", "192.168.1.6=enp3s0"}));
}

TEST_F(Configuration, ANcclFileThatLeavesLoopbackIsI2) {
  // An exclusion by hand replaces NCCL's own, which has the loopback device.
  const auto configuration = file("b", "/etc/nccl.conf", "NCCL_SOCKET_IFNAME=^docker0\n");
  const auto result = doctor_for_nccl();
  EXPECT_THAT(result.out, ContainsRegex(std::string("I2 on ") + host_b)) << result.err;
  EXPECT_THAT(result.out, HasSubstr("/etc/nccl.conf"));
}

TEST_F(Configuration, SmallSharedMemoryIsC3ForNccl) {
  EXPECT_THAT(doctor_for_nccl().out, Not(ContainsRegex("C3 on")));
  const auto memory = change("b", {"shm", "64m"});
  const auto result = doctor_for_nccl();
  EXPECT_THAT(result.out, ContainsRegex(std::string("C3 on ") + host_b)) << result.err;
  EXPECT_THAT(result.out, HasSubstr("/dev/shm"));
}

TEST_F(Configuration, ASmallLimitOfLockedMemoryIsC7ForNccl) {
  const auto limit = change("b", {"memlock", "65536"});
  const auto result = doctor_for_nccl();
  EXPECT_THAT(result.out, ContainsRegex(std::string("C7 on ") + host_b)) << result.err;
  EXPECT_THAT(result.out, HasSubstr("memlock"));
}

TEST_F(Configuration, ACardWithoutALinkIsF7AndNoFirewall) {
  const auto down = change("b", {"down"});
  const auto finding = expect_stopped(sweep(), "F7");
  EXPECT_THAT(finding.text, HasSubstr("enp3s0 192.168.1.6"));
  EXPECT_THAT(finding.text, HasSubstr("ip link set dev enp3s0 up"));
}

}  // namespace
}  // namespace ringrun::test
