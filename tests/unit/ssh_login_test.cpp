#include "launcher/ssh/login.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/cli/parse.hpp"
#include "launcher/ssh/setup_line.hpp"

namespace ringrun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// joe@b, port 2222, of a user whose home is /home/joe and who has a key.
LoginFacts facts() {
  LoginFacts result;
  result.host.name = "b";
  result.host.user = "joe";
  result.host.port = 2222;
  result.settings.address = "10.0.0.6";
  result.settings.port = 2222;
  result.settings.known_hosts = "/home/joe/.ssh/known_hosts";
  result.user.files = {"/home/joe/.ssh/id_ed25519"};
  result.user.to_make = "/home/joe/.ssh/id_ed25519";
  result.home = "/home/joe";
  return result;
}

Captured refused(const std::string& words) { return {Captured::End::exited, 255, "", words}; }

TEST(SshSettings, AreWhatSshSaysOfAHost) {
  const SshSettings settings = parse_ssh_settings(
      "user joe\nhostname 10.0.0.6\nport 2222\nidentityfile ~/.ssh/id_rsa\nidentityfile /keys/x\n"
      "userknownhostsfile ~/.ssh/known_hosts ~/.ssh/known_hosts2\nhostkeyalias node\n",
      "/home/joe");
  EXPECT_EQ(settings.address, "10.0.0.6");
  EXPECT_EQ(settings.port, 2222);
  EXPECT_EQ(settings.key_alias, "node");
  EXPECT_THAT(settings.keys, ElementsAre("/home/joe/.ssh/id_rsa", "/keys/x"));
  EXPECT_EQ(settings.known_hosts, "/home/joe/.ssh/known_hosts");
  EXPECT_FALSE(settings.by_proxy);
  EXPECT_TRUE(parse_ssh_settings("proxyjump gate\n", "").by_proxy);
}

TEST(KnownHosts, NameAHostAsSshLooksItUp) {
  SshSettings host;
  const std::string answer = "# 10.0.0.6:2222 SSH-2.0\n[10.0.0.6]:2222 ssh-ed25519 AAAA\n";
  EXPECT_THAT(known_hosts_lines(answer, host), ElementsAre("[10.0.0.6]:2222 ssh-ed25519 AAAA"));
  host.key_alias = "node";
  EXPECT_THAT(known_hosts_lines(answer, host), ElementsAre("node ssh-ed25519 AAAA"));
}

TEST(Login, WorksWhereTheHostRunsACommandWhateverItSaysBefore) {
  EXPECT_EQ(read_login({Captured::End::exited, 0, "Welcome\nRINGRUN-LOGIN\n", ""}, facts()).state, LoginState::works);
  EXPECT_EQ(read_login({Captured::End::exited, 1, "This account is currently not available.\n", ""}, facts()).problem,
            "its login shell runs no commands: This account is currently not available.\n");
}

TEST(Login, OfAnUnknownHostNamesTheFingerprintToCompare) {
  LoginFacts known = facts();
  known.keys = {{"[10.0.0.6]:2222 ssh-ed25519 AAAA"}, {"SHA256:abc (ED25519)"}};
  const Login login = read_login(refused("Host key verification failed."), known);
  EXPECT_EQ(login.state, LoginState::key_unknown);
  EXPECT_THAT(login.problem, HasSubstr("SHA256:abc (ED25519)"));
  EXPECT_THAT(login.mend, StartsWith("ssh-keyscan -p 2222 10.0.0.6 >> ~/.ssh/known_hosts\n"));
  EXPECT_THAT(read_login(refused("Host key verification failed."), facts()).mend, StartsWith("ssh -p 2222 joe@b true"))
      << "behind a proxy nothing can be asked";
}

TEST(Login, OfAChangedHostKeyIsNotThatOfAnUnknownOne) {
  const Login login = read_login(
      refused("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed."), facts());
  EXPECT_EQ(login.state, LoginState::key_changed);
  EXPECT_THAT(login.mend, StartsWith("ssh-keygen -R '[10.0.0.6]:2222' -f ~/.ssh/known_hosts"));
}

TEST(Login, ThatIsDeniedDependsOnTheKeysThatThereAre) {
  const Captured denied = refused("joe@b: Permission denied (publickey,password).");
  const Login refused_key = read_login(denied, facts());
  EXPECT_EQ(refused_key.state, LoginState::key_refused);
  EXPECT_THAT(refused_key.mend, StartsWith("ssh-copy-id -p 2222 joe@b\n"));
  LoginFacts none = facts();
  none.user.files.clear();
  EXPECT_EQ(read_login(denied, none).mend,
            "ssh-keygen -t ed25519 -N '' -f ~/.ssh/id_ed25519 && ssh-copy-id -p 2222 joe@b");
  LoginFacts locked = facts();
  locked.user.locked = true;
  EXPECT_EQ(read_login(denied, locked).state, LoginState::key_locked);
  locked.user.in_agent = true;
  EXPECT_EQ(read_login(denied, locked).state, LoginState::key_refused);
}

TEST(Login, OfAnUnusualKeySendsThatOne) {
  LoginFacts other = facts();
  other.user.files = {"/home/joe/keys/lab"};
  other.user.to_make = "/home/joe/keys/lab";
  EXPECT_THAT(read_login(refused("Permission denied (publickey,password)."), other).mend,
              StartsWith("ssh-copy-id -i ~/keys/lab -p 2222 joe@b\n"));
}

TEST(Login, ThatFailsOtherwiseIsExplainedAsALaunchExplainsIt) {
  const Login login = read_login(refused("ssh: connect to host b port 2222: Connection refused\r\n"), facts());
  EXPECT_EQ(login.problem,
            "The host is up, but no sshd listens on port 2222. (ssh: connect to host b port 2222: "
            "Connection refused)");
  EXPECT_THAT(login.mend, HasSubstr("sudo service ssh start"));
  EXPECT_THAT(read_login({Captured::End::timed_out, 0, "", ""}, facts()).problem,
              StartsWith("The remote shell may be"));
}

std::string setup_line(const std::vector<std::string>& words,
                       const std::vector<std::string>& shell = {"/usr/bin/ssh"}) {
  const LaunchRequest request = parse_command_line(words);
  LaunchContext context{request, {}, "", ""};
  context.shell = shell;
  return setup_ssh_line(context);
}

TEST(SetupLine, HasTheHostsOfTheLaunch) {
  EXPECT_EQ(setup_line({"-np", "2", "-hostfile", "my hosts", "-H", "b:2", "x"}),
            "ringrun --setup-ssh -hostfile 'my hosts' -H b:2");
  EXPECT_EQ(setup_line({"--mca", "plm_rsh_args", "-i key", "--mca", "btl", "tcp", "-H", "b"}),
            "ringrun --setup-ssh --mca plm_rsh_args '-i key' -H b");
  EXPECT_EQ(setup_line({"--default-hostfile", "f", "x"}), "ringrun --setup-ssh --default-hostfile f");
  EXPECT_EQ(setup_line({"x"}), "ringrun --setup-ssh");
  EXPECT_EQ(setup_line({"-H", "a", "x", ":", "-np", "1", "x", ":", "-H", "b", "x", ":", "-H", "a", "x"}),
            "ringrun --setup-ssh -H a\nringrun --setup-ssh -H b");
  EXPECT_EQ(setup_line({"-H", "a", "x"}, {"rsh"}), "");
  EXPECT_EQ(setup_line({"-H", "a", "x"}, {}), "");
}

}  // namespace
}  // namespace ringrun
