// A host's ranks in its container, entered by `docker exec` (`#: via=docker:NAME`): the real engine, the real client.
#include <gmock/gmock.h>

#include <fstream>

#include "tests/lab/docker_lab.hpp"
#include "tests/support/cannot_run.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class DockerWay : public DockerLab {
 protected:
  /// A container on b of the name lab-c; to the lab it is the host c.
  static Container container(const std::vector<std::string>& options = {"--network", "host", "--shm-size", "1g"}) {
    return {*lab, "b", "c", options};
  }

  /// hostfiles/ab, with a container of b's docker in place of its sshd.
  static std::string hosts(const std::string& name = "lab-c") {
    return hostfile("192.168.1.5 slots=1\n192.168.1.6 slots=1  #: via=docker:" + name + "\n");
  }

  static std::vector<std::string> endless_sweep() {
    return {built_program("ringrun"),
            "-np",
            "2",
            "-hostfile",
            hosts(),
            "./worker",
            "-b",
            "1M",
            "-e",
            "1M",
            "-n",
            "5",
            "-N",
            "0"};
  }

  /// The container has its first process, which waits for nothing, alone.
  static void expect_container_empty() {
    EXPECT_TRUE(wait_until([] { return processes("c").size() == 1; }, seconds(5)));
    EXPECT_THAT(processes("c"), ElementsAre(EndsWith(" sleep infinity")));
  }

 private:
};

TEST_F(DockerWay, TheMissionsCommandRunsBehindTheRealSsh) {
  const auto node = container();
  start_sshd("b", 22);
  const auto result = sweep_with_ssh({}, hosts());
  expect_right_sweep_over_the_lan(result);
  expect_container_empty();
}

TEST_F(DockerWay, TheDockerHostItselfStartsTheJobWithoutARemoteShellToItself) {
  const auto node = container();
  const auto result = on("b", sweep_command({}, hosts()));
  expect_right_sweep_over_the_lan(result);
  const auto alone = on("b", sweep_command({"--mca", "plm_rsh_agent", "/no/shell"},
                                           hostfile("192.168.1.6 slots=2  #: via=docker:lab-c\n")));
  expect_right_sweep(alone);
  EXPECT_THAT(on("b", {built_program("ringrun"), "-np", "1", "-hostfile",
                       hostfile("192.168.1.6  #: via=docker:lab-c\n"), "test", "-e", "/.dockerenv"})
                  .exit_code,
              0);
  expect_container_empty();
}

TEST_F(DockerWay, InsideTheContainerItsOwnLineIsThisHost) {
  const auto node = container();
  const auto result = on("c", sweep_command({}, hosts()));
  expect_right_sweep_over_the_lan(result);
  expect_container_empty();
}

TEST_F(DockerWay, TheDoctorReportsTheContainersOwnFacts) {
  const auto node = container({"--network", "host"});
  const auto result = on("a", {built_program("ringrun"), "--doctor", "--transport", "nccl", "-hostfile", hosts()});
  EXPECT_THAT(result.out, HasSubstr("192.168.1.6 (its container lab-c): "));
  EXPECT_THAT(result.out, ContainsRegex("C3 on [^\n]*192\\.168\\.1\\.6")) << result.err;
}

/// However a job ends, nothing of it stays in the container.
struct Ending {
  std::string name;
  std::string signal;
  /// Of ringrun on a, or of a rank in the container.
  std::string whom;
  int exit_code;
};

class DockerWayEnding : public DockerWay, public testing::WithParamInterface<Ending> {};

TEST_P(DockerWayEnding, LeavesNothingInTheContainer) {
  const auto node = container();
  auto job = start("a", endless_sweep());
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  const std::string host = GetParam().whom == "ringrun" ? "a" : "c";
  send_signal(host, GetParam().signal, host == "a" ? launcher_pid("a") : pid_of("c", "worker"));
  EXPECT_EQ(job.finish().exit_code, GetParam().exit_code);
  expect_container_empty();
  expect_no_process_left();
}

INSTANTIATE_TEST_SUITE_P(Each, DockerWayEnding,
                         testing::Values(Ending{"CtrlC", "INT", "ringrun", 130},
                                         Ending{"KilledRingrun", "KILL", "ringrun", 137},
                                         Ending{"KilledRank", "KILL", "worker", 137}),
                         [](const auto& each) { return each.param.name; });

TEST_F(DockerWay, ALauncherKilledWhileItAsksLeavesNoAgentInTheContainer) {
  const auto node = container();
  // A host that never answers keeps the agent in the container waiting.
  const auto shell = shared_file("shell",
                                 "[ \"$1\" != 192.168.1.99 ] || exec sleep 100\n"
                                 "exec " RINGRUN_SOURCE_DIR "/tests/lab/remote-shell \"$@\"\n");
  auto job = start("a", {built_program("ringrun"), "--mca", "plm_rsh_agent", "sh " + shell, "-np", "3", "-hostfile",
                         hostfile("192.168.1.5\n192.168.1.6  #: via=docker:lab-c\n192.168.1.99\n"), "true"});
  ASSERT_FALSE(pid_of("c", "ringrun").empty()) << job.output();
  send_signal("a", "KILL", launcher_pid("a"));
  job.finish();
  expect_container_empty();
  // What that host's shell leaves is its own affair.
  send_signal("a", "KILL", pid_of("a", "sleep"));
}

TEST_F(DockerWay, AContainerOnTheBridgeIsC1bWithTheCommandThatMakesItAgain) {
  const auto node = container({});
  const auto finding = expect_stopped(sweep({}, hosts()), "C1b");
  EXPECT_THAT(finding.text, HasSubstr("docker exec leads into the container"));
  EXPECT_THAT(finding.text, HasSubstr("docker rm --force lab-c"));
  EXPECT_THAT(finding.text, HasSubstr("--name lab-c --network host"));
}

TEST_F(DockerWay, ANameWithoutAContainerIsC11) {
  const auto finding = expect_stopped(sweep({}, hosts("other")), "C11");
  EXPECT_THAT(finding.text, HasSubstr("other in "));
  EXPECT_THAT(finding.text, HasSubstr("docker ps --all"));
}

TEST_F(DockerWay, AStoppedContainerIsC11WithItsStart) {
  const auto node = container();
  ASSERT_EQ(on("b", {"docker", "stop", "--time", "0", "lab-c"}).exit_code, 0);
  const auto finding = expect_stopped(sweep({}, hosts()), "C11");
  EXPECT_THAT(finding.text, HasSubstr("docker start lab-c"));
  ASSERT_EQ(on("b", {"docker", "start", "lab-c"}).exit_code, 0);
  expect_right_sweep(sweep({}, hosts()));
  ASSERT_EQ(on("b", {"docker", "pause", "lab-c"}).exit_code, 0);
  EXPECT_THAT(expect_stopped(sweep({}, hosts()), "C11").text, HasSubstr("docker unpause lab-c"));
  ASSERT_EQ(on("b", {"docker", "unpause", "lab-c"}).exit_code, 0);
}

TEST_F(DockerWay, AHostWithoutARunningEngineIsC11) {
  const auto finding =
      expect_stopped(sweep({}, hostfile("192.168.1.5 slots=1  #: via=docker:c\n192.168.1.6\n")), "C11");
  EXPECT_THAT(finding.hosts, ContainsRegex(host_a));
  EXPECT_THAT(finding.text, HasSubstr("systemctl enable --now docker"));
}

TEST_F(DockerWay, AUserWhoMayNotUseDockerIsC11) {
  const auto node = container();
  const auto result = on("b", {"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "env", "HOME=/tmp",
                               built_program("ringrun"), "-np", "1", "-hostfile", hosts(), "true"});
  EXPECT_THAT(expect_stopped(result, "C11").text, HasSubstr("usermod -aG docker"));
}

TEST_F(DockerWay, AHostWithoutDockerIsC11WithItsPackage) {
  std::vector<std::unique_ptr<HostChange>> without;
  for (const std::string path : {"/usr/bin/docker", "/usr/local/bin/docker"}) {
    if (std::ifstream(path))
      without.push_back(std::make_unique<HostChange>(*lab, "a", std::vector<std::string>{"without", path}));
  }
  const auto lines = hostfile("192.168.1.5 slots=1  #: via=docker:c\n192.168.1.6\n");
  EXPECT_THAT(expect_stopped(sweep({}, lines), "C11").text, HasSubstr("apt-get install -y docker.io"));
  // The same from the other host, where the remote shell says it.
  start_sshd("a", 22);
  EXPECT_THAT(expect_stopped(on_with_ssh("b", sweep_command({}, lines)), "C11").text,
              HasSubstr("apt-get install -y docker.io"));
}

}  // namespace
}  // namespace ringrun::test
