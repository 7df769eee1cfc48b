// The lab itself: two hosts that are apart, a LAN between them, and nothing left of them.
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>

#include "tests/lab/network_lab.hpp"
#include "tests/support/cannot_run.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string remote_shell = RINGRUN_SOURCE_DIR "/tests/lab/remote-shell";

using LabItself = Lab;

TEST_F(LabItself, HostsHaveTheirOwnNamesAndAddresses) {
  EXPECT_EQ(on("a", {"hostname"}).out, "a\n");
  EXPECT_EQ(on("b", {"hostname"}).out, "b\n");
  EXPECT_THAT(on("a", {"ip", "-brief", "-4", "address", "show", "eth0"}).out, HasSubstr("192.168.1.5/24"));
  EXPECT_THAT(on("b", {"ip", "-brief", "-4", "address", "show", "enp3s0"}).out, HasSubstr("192.168.1.6/24"));
  EXPECT_EQ(on("b", {"ls", "/sys/class/net"}).out, "enp3s0\nlo\n");
}

TEST_F(LabItself, ExitCodesPassThrough) {
  EXPECT_EQ(on("a", {"sh", "-c", "exit 7"}).exit_code, 7);
  EXPECT_EQ(on("a", {"sh", "-c", "kill -KILL $$"}).exit_code, 137);
}

TEST_F(LabItself, ProcessesOfOneHostAreNotSeenOnTheOther) {
  on("b", {"sh", "-c", "sleep 1000 >/dev/null 2>&1 &"});
  EXPECT_THAT(processes("b"), Contains(HasSubstr("sleep 1000")));
  EXPECT_THAT(processes("a"), IsEmpty());
  send_signal("b", "KILL", pid_of("b", "sleep"));
}

TEST_F(LabItself, RemoteShellTakesOptionsBeforeAndBehindTheHost) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"-x", "-l", "root", "192.168.1.6"}, {"-p", "2222", "b"}, {"192.168.1.6", "-p", "2222"}, {"root@b", "--"}}) {
    std::vector<std::string> argv{remote_shell};
    argv.insert(argv.end(), words.begin(), words.end());
    argv.insert(argv.end(), {"echo $(hostname);", "exit", "9"});
    const auto result = on("a", argv);
    EXPECT_EQ(result.out, "b\n") << result.err;
    EXPECT_EQ(result.exit_code, 9);
  }
}

TEST_F(LabItself, RemoteShellGivesALoginsEnvironmentAlone) {
  const auto result = on("a", {"env", "SECRET=1", remote_shell, "b", "env"});
  EXPECT_THAT(result.out, HasSubstr("HOME=/root\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("SECRET")));
  EXPECT_THAT(result.out, Not(HasSubstr("OMPI_")));
}

TEST_F(LabItself, RemoteShellEndsWith255WhereTheHostIsUnknown) {
  const auto result = on("a", {remote_shell, "192.168.1.99", "hostname"});
  EXPECT_EQ(result.exit_code, 255);
  EXPECT_THAT(result.err, HasSubstr("192.168.1.99: No route to host"));
}

TEST_F(LabItself, SshReachesARealSshd) {
  start_sshd("b", 2222);
  const auto result = on("a", {"ssh", "-p", "2222", "192.168.1.6", "hostname"});
  EXPECT_EQ(result.out, "b\n") << result.err;
}

TEST_F(LabItself, OpenMpiStartsAProcessOnBothHosts) {
  const auto result = on("a", {"mpirun", "-np", "2", "-hostfile", RINGRUN_SOURCE_DIR "/hostfiles/ab", "hostname"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("a\n"));
  EXPECT_THAT(result.out, HasSubstr("b\n"));
}

TEST_F(LabItself, NothingIsLeftWhenItsHolderIsKilled) {
  LabHolder other(3);
  const std::string lab_program = RINGRUN_SOURCE_DIR "/tests/lab/lab";
  CommandOptions options;
  options.cwd = RINGRUN_SOURCE_DIR;
  const auto started = run_command(
      {lab_program, "--lab", other.folder(), "on", "c", "--", "sh", "-c", "setsid sleep 4242 >/dev/null 2>&1 &"},
      options);
  ASSERT_EQ(started.exit_code, 0) << started.err;
  const auto sleeping = [] {
    return run_command({"sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"}).out;
  };
  EXPECT_THAT(sleeping(), HasSubstr("sleep 4242"));

  kill(other.pid(), SIGKILL);
  EXPECT_TRUE(wait_until([&] { return sleeping().find("sleep 4242") == std::string::npos; }, seconds(5)));
  EXPECT_TRUE(wait_until([&] { return !std::filesystem::exists(other.folder()); }, seconds(5)));
  EXPECT_THAT(run_command({"cat", "/proc/self/mountinfo"}).out, Not(HasSubstr("run/lab")));
  EXPECT_THAT(run_command({"ip", "-brief", "link"}).out, Not(HasSubstr("port-c")));
}

TEST_F(LabItself, NothingIsLeftOfItsDockerEngineWhenItsHolderIsKilled) {
  const std::string lacking = why_no_docker();
  if (!lacking.empty()) RINGRUN_CANNOT_RUN(lacking);
  LabHolder other(2);
  // Never undone by themselves: it is all gone with the lab.
  run_lab_command(other, {"docker", "b", "start"});
  run_lab_command(other, {"container", "b", "c", "-p", "2222:22"});
  run_lab_command(other, {"set", "a", "nat"});
  run_lab_command(other, {"set", "a", "wsl2", "nat", "gpu"});
  const std::string groups = "ringrun-lab-" + std::to_string(other.pid());
  const auto engine_runs = [&] {
    const auto all = run_command({"sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '"}).out;
    return all.find("--cgroup-parent /" + groups) != std::string::npos;
  };
  const auto groups_left = [&] { return run_command({"find", "/sys/fs/cgroup", "-type", "d", "-name", groups}).out; };
  EXPECT_TRUE(engine_runs());
  EXPECT_THAT(groups_left(), Not(IsEmpty()));

  kill(other.pid(), SIGKILL);
  EXPECT_TRUE(wait_until([&] { return !engine_runs(); }, seconds(5)));
  EXPECT_TRUE(wait_until([&] { return groups_left().empty(); }, seconds(10))) << groups_left();
  EXPECT_THAT(run_command({"cat", "/proc/self/mountinfo"}).out, Not(HasSubstr("run/engine")));
  EXPECT_FALSE(std::filesystem::exists("/dev/dxg"));
}

class LabWithOpenMpi5 : public Lab {
 protected:
  static void SetUpTestSuite() { bring_up_with_open_mpi(5, 2); }
};

TEST_F(LabWithOpenMpi5, HostsRunDebian13AndHaveTheirOwnNamesAndInterfaces) {
  EXPECT_THAT(on("a", {"cat", "/etc/os-release"}).out, HasSubstr("VERSION_CODENAME=trixie"));
  EXPECT_THAT(on("a", {"mpirun", "--version"}).out, HasSubstr("mpirun (Open MPI) 5."));
  EXPECT_EQ(on("b", {"hostname"}).out, "b\n");
  EXPECT_EQ(on("b", {"ls", "/sys/class/net"}).out, "enp3s0\nlo\n");
  EXPECT_THAT(processes("b"), IsEmpty());
}

TEST_F(LabWithOpenMpi5, SshReachesARealSshd) {
  start_sshd("b", 2222);
  const auto result = on("a", {"ssh", "-p", "2222", "192.168.1.6", "hostname"});
  EXPECT_EQ(result.out, "b\n") << result.err;
}

}  // namespace
}  // namespace ringrun::test
