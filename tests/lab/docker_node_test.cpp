// hostfiles/nodes/docker as it stands there: its Dockerfile, compose file and sshd, by a real docker engine on b,
// entered by both ways. The hosts and the image are Debian 13 with Open MPI 5.
#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string node_folder = RINGRUN_SOURCE_DIR "/hostfiles/nodes/docker";

class DockerNode : public NetworkLab {
 protected:
  static void SetUpTestSuite() {
    bring_up_with_open_mpi(5, 2);
    if (!missing.empty()) return;
    if (on("b", {"sh", "-c", "command -v dockerd && docker compose version"}).exit_code != 0) {
      missing = "the hosts' system has no docker; have tools/lab_root complete it";
      return;
    }
    engine_ = std::make_unique<DockerEngine>(*lab, "b");
    run_lab_command(*lab, {"node-image", "b"});
    // A machine that is a container itself may be kept from raising limits.
    const bool raises = on("b", {"sh", "-c", "ulimit -l unlimited"}).exit_code == 0;
    const std::string service =
        "services:\n  node-cpu:\n    stop_grace_period: 1s\n" + std::string(raises ? "" : "    ulimits: !reset null\n");
    shared_file("bare.yaml", service);
    // The programs are here in the checkout.
    shared_file("programs.yaml", service + "    volumes:\n      - " RINGRUN_SOURCE_DIR ":" RINGRUN_SOURCE_DIR ":ro\n");
    // b's own login, and the key of everybody in the lab.
    start_sshd("b", 22);
  }
  static void TearDownTestSuite() {
    engine_.reset();
    NetworkLab::TearDownTestSuite();
  }

  /// `docker compose --profile cpu …` on b, in the folder of its file.
  static CommandResult compose(const std::string& words, const std::string& keys = "",
                               const std::string& more = "programs.yaml") {
    return on("b",
              {"sh", "-c",
               "cd " + node_folder + " && RINGRUN_KEYS=\"" + keys + "\" docker compose --file compose.yaml --file " +
                   "/run/lab/" + more + " --profile cpu " + words},
              seconds(60));
  }
  static void up(const std::string& keys = "$(cat /run/lab/ssh/user_key.pub)",
                 const std::string& more = "programs.yaml") {
    const auto result = compose("up --detach --no-build", keys, more);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  /// The node takes logins, and a's ssh knows its key, as the README there says.
  static void get_acquainted() {
    const auto scan = [] {
      return on("a", {"sh", "-c", "ssh-keyscan -p 2222 192.168.1.6 >>/run/lab/ssh/known_hosts"}).exit_code == 0 &&
             on_with_ssh("a", {"ssh", "-p", "2222", "192.168.1.6", "true"}).exit_code == 0;
    };
    ASSERT_TRUE(wait_until(scan, seconds(10))) << on("b", {"docker", "logs", "node"}).err;
  }
  void TearDown() override {
    if (lab) {
      EXPECT_EQ(compose("down").exit_code, 0);
    }
    NetworkLab::TearDown();
  }

  /// Command lines in the container, but for its init and its own first program.
  static std::string jobs_processes() {
    const auto top = on("b", {"docker", "top", "node", "-eo", "pid,args"});
    EXPECT_EQ(top.exit_code, 0) << top.err;
    std::istringstream lines(top.out);
    std::string left;
    for (std::string line; std::getline(lines, line);) {
      static const std::regex own(
          " *(PID +COMMAND|[0-9]+ +(/sbin/docker-init|sshd: /usr/sbin/sshd -D|sleep infinity).*)");
      if (!std::regex_match(line, own)) left += line + "\n";
    }
    return left;
  }
  static void expect_nothing_left_in_the_node() {
    EXPECT_TRUE(wait_until([] { return jobs_processes().empty(); }, seconds(8))) << jobs_processes();
  }

  static void kill_ringrun_over(const std::string& hosts) {
    auto job = start_with_ssh("a", {built_program("ringrun"), "-np", "2", "-hostfile", hosts, "./worker", "-b", "1M",
                                    "-e", "1M", "-n", "5", "-N", "0"});
    ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
    EXPECT_THAT(jobs_processes(), HasSubstr("worker"));
    send_signal("a", "KILL", launcher_pid("a"));
    EXPECT_EQ(job.finish().exit_code, 137);
    expect_nothing_left_in_the_node();
    expect_no_process_left();
  }

 private:
  static inline std::unique_ptr<DockerEngine> engine_;
};

TEST_F(DockerNode, TheMissionsCommandRunsThroughItsSshdAndNothingIsLeft) {
  up();
  get_acquainted();
  const auto result = sweep_with_ssh();
  expect_right_sweep_over_the_lan(result);
  EXPECT_THAT(result.err, Not(ContainsRegex("ringrun: (error|warning)")));
  expect_nothing_left_in_the_node();
  kill_ringrun_over("hostfiles/ab");
}

TEST_F(DockerNode, TheMissionsCommandRunsThroughDockerExecAndNothingIsLeft) {
  // Without a key there is no sshd that could answer.
  up("");
  const std::string hosts = node_folder + "/hostfile";
  const auto result = sweep_with_ssh({}, hosts);
  expect_right_sweep_over_the_lan(result);
  EXPECT_THAT(result.err, Not(ContainsRegex("ringrun: (error|warning)")));
  expect_nothing_left_in_the_node();
  kill_ringrun_over(hosts);
  EXPECT_THAT(on("b", {"docker", "logs", "node"}).out, HasSubstr("so no sshd"));
}

TEST_F(DockerNode, TheDockerHostItselfStartsTheJobInItsOwnContainer) {
  up("");
  expect_right_sweep_over_the_lan(on("b", sweep_command({}, node_folder + "/hostfile")));
  expect_nothing_left_in_the_node();
}

TEST_F(DockerNode, WithoutRingrunItGetsACopyThroughDockerExec) {
  up("", "bare.yaml");
  const auto result =
      on_with_ssh("a", {built_program("ringrun"), "-np", "2", "-hostfile", node_folder + "/hostfile", "true"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(on("b", {"docker", "exec", "node", "sh", "-c", "test -x /root/.cache/ringrun/*/ringrun"}).exit_code, 0);
  expect_nothing_left_in_the_node();
}

TEST_F(DockerNode, PlainMpirunRunsThroughItsSshd) {
  up();
  get_acquainted();
  const auto result = on_with_ssh("a", {"mpirun", "-np", "2", "-hostfile", "hostfiles/ab", "./worker", "-b", "8", "-e",
                                        "256K", "-f", "2", "-n", "2", "-N", "1"});
  expect_right_sweep(result);
}

TEST_F(DockerNode, ItTakesKeysAloneAndKeepsItsOwnWhenItIsMadeAgain) {
  up();
  get_acquainted();
  const auto without = on_with_ssh("a", {"ssh", "-p", "2222", "-o", "PubkeyAuthentication=no", "192.168.1.6", "true"});
  EXPECT_THAT(without.err, HasSubstr("Permission denied (publickey)."));
  const auto again = compose("up --detach --no-build --force-recreate", "$(cat /run/lab/ssh/user_key.pub)");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(wait_until(
      [] {
        return on_with_ssh("a", {"ssh", "-p", "2222", "192.168.1.6", "true"}).exit_code == 0;
      },
      seconds(10)));
}

TEST_F(DockerNode, ItsGpuProfileAsksForAllGpusAndTheHostsNetwork) {
  const auto config = on("b", {"sh", "-c", "cd " + node_folder + " && docker compose --profile gpu config"});
  EXPECT_EQ(config.exit_code, 0) << config.err;
  EXPECT_THAT(config.out, AllOf(HasSubstr("driver: nvidia"), HasSubstr("count: -1"), HasSubstr("network_mode: host"),
                                HasSubstr("init: true"), HasSubstr("shm_size: \"1073741824\"")));
}

}  // namespace
}  // namespace ringrun::test
