// Remote shells that do not work, with the real ssh: each is named with its cure while the launch still waits.
#include <gmock/gmock.h>

#include <iostream>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class SshFault : public NetworkLab {
 protected:
  void SetUp() override {
    NetworkLab::SetUp();
    if (lab) start_sshd("b", 2222);
  }

  static std::string b_at_port(const std::string& port) {
    return hostfile("192.168.1.5 slots=1\n192.168.1.6 slots=1 port=" + port + "\n");
  }

  /// Behind a terminal ssh asks; without one it gives up by itself, which would hide a launch that waits for an answer.
  static CommandResult at_a_terminal(const std::vector<std::string>& argv) {
    std::string line;
    for (const auto& word : argv) line += "'" + word + "' ";
    auto result = on_with_ssh("a", {"script", "--quiet", "--return", "--command", line, "/dev/null"}, seconds(30));
    // A terminal has one stream, and ends lines with a carriage return too.
    std::erase(result.out, '\r');
    result.err = result.out;
    return result;
  }
};

TEST_F(SshFault, ThatIsNoneRuns) { expect_right_sweep_over_the_lan(sweep_with_ssh()); }

TEST_F(SshFault, NoClientIsNamedWithItsPackage) {
  const auto without = change("a", {"without", "/usr/bin/ssh"});
  const auto finding = expect_stopped(sweep_with_ssh(), "L1");
  EXPECT_THAT(finding.text, HasSubstr("openssh-client"));
}

TEST_F(SshFault, AWrongKeyIsNamedWithTheCommandThatSendsTheRightOne) {
  const std::string key = "/run/lab/wrong_key";
  ASSERT_EQ(on("a", {"sh", "-c", "rm -f " + key + "*; ssh-keygen -q -t ed25519 -N '' -f " + key}).exit_code, 0);
  const auto wrong = change("a", {"file", "/run/lab/ssh/user_key", key});
  const auto finding = expect_stopped(sweep_with_ssh(), "L1");
  EXPECT_THAT(finding.hosts, ContainsRegex(host_b));
  EXPECT_THAT(finding.text, HasSubstr("Permission denied"));
  EXPECT_THAT(finding.text, HasSubstr("ringrun --setup-ssh -hostfile hostfiles/ab "));
  EXPECT_THAT(finding.text, ContainsRegex("ssh-copy-id [^\n]*2222"));
}

TEST_F(SshFault, AnotherPortIsNamedWithTheAttributeThatSaysIt) {
  const auto finding = expect_stopped(sweep_with_ssh({}, hostfile("192.168.1.5 slots=1\n192.168.1.6 slots=1\n")), "L1");
  EXPECT_THAT(finding.hosts, ContainsRegex(host_b));
  EXPECT_THAT(finding.text, HasSubstr("Connection refused"));
  EXPECT_THAT(finding.text, HasSubstr("port="));
}

TEST_F(SshFault, AnUnknownHostKeyIsNamedInsteadOfAskedFor) {
  const auto unknown = file("a", "/run/lab/ssh/known_hosts", "");
  const auto asking = file("a", "/run/lab/ssh/config",
                           "Host *\n  IdentityFile /run/lab/ssh/user_key\n"
                           "  UserKnownHostsFile /run/lab/ssh/known_hosts\n  StrictHostKeyChecking ask\n");
  const auto result = at_a_terminal(sweep_command({}, "hostfiles/ab"));
  EXPECT_THAT(result.out, Not(HasSubstr("continue connecting")));
  const auto finding = expect_stopped(result, "L1");
  EXPECT_THAT(finding.text, HasSubstr("Host key verification failed"));
}

TEST_F(SshFault, APasswordIsNamedInsteadOfAskedFor) {
  const auto login = change("b", {"password-login", "2223"});
  const auto asking = file("a", "/run/lab/ssh/config",
                           "Host *\n  IdentityFile /run/lab/ssh/user_key\n"
                           "  UserKnownHostsFile /run/lab/ssh/known_hosts\n");
  const auto result = at_a_terminal(sweep_command({}, b_at_port("2223")));
  EXPECT_THAT(result.out, Not(HasSubstr("password: ")));
  const auto finding = expect_stopped(result, "L1");
  EXPECT_THAT(finding.text, HasSubstr("Permission denied"));
}

TEST_F(SshFault, ASilentPortIsNamedWhileTheLaunchWaitsForIt) {
  const auto listener = change("b", {"listener", "2200"});
  const auto begin = std::chrono::steady_clock::now();
  auto job = start_with_ssh("a", sweep_command({"--start-timeout", "12"}, b_at_port("2200")));
  EXPECT_TRUE(job.wait_for_output("L1 on", stop_deadline)) << job.output();
  std::cout << "named after "
            << std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count()
            << " ms\n";
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 3) << result.out;
  EXPECT_THAT(result.out, HasSubstr("Something took the connection to port 2200 and did not say that it is an sshd"));
  EXPECT_LT(result.elapsed, seconds(18));
}

TEST_F(SshFault, AHostThatIsDownIsNamed) {
  const auto down = change("b", {"down"});
  auto job = start_with_ssh("a", sweep_command({"--start-timeout", "12"}, "hostfiles/ab"));
  EXPECT_TRUE(job.wait_for_output("L1 on", stop_deadline)) << job.output();
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 3) << result.out;
  EXPECT_LT(result.elapsed, seconds(18));
  EXPECT_THAT(result.out, ContainsRegex(std::string("L1 on ") + host_b));
}

TEST_F(SshFault, OfOneHostDoesNotHideTheOthers) {
  const auto name = change("b", {"own-name-loopback"});
  const auto result = on_with_ssh("a", {built_program("ringrun"), "--doctor", "--start-timeout", "10", "-hostfile",
                                        hostfile("192.168.1.5 slots=1\n192.168.1.6 slots=1 port=2222\n"
                                                 "192.168.1.99 slots=1\n")});
  EXPECT_EQ(result.exit_code, 3) << result.err << result.out;
  EXPECT_THAT(result.out, ContainsRegex("L1 on [^\n]*192\\.168\\.1\\.99"));
  EXPECT_THAT(result.out, ContainsRegex(std::string("W8 on ") + host_b));
}

}  // namespace
}  // namespace ringrun::test
