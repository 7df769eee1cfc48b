// `ringrun --setup-ssh` against real sshds, for a user of a who starts with nothing.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class SetupSsh : public NetworkLab {
 protected:
  void SetUp() override {
    NetworkLab::SetUp();
    if (!lab) return;
    start_sshd("b", 2222);
    sh("rm -rf /root/.ssh; mkdir -m 700 /root/.ssh");
  }
  void TearDown() override {
    if (lab) sh("rm -rf /root/.ssh; ln -s /run/lab/ssh /root/.ssh");
    NetworkLab::TearDown();
  }

  static std::string sh(const std::string& line) {
    const auto result = on_with_ssh("a", {"sh", "-c", line});
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.err;
    return result.out;
  }
  static CommandResult setup(std::vector<std::string> words, const std::string& port = "2222") {
    const std::string hosts = "192.168.1.5\n192.168.1.6 port=" + port + "\n";
    words.insert(words.begin(), {built_program("ringrun"), "--setup-ssh"});
    words.insert(words.end(), {"-hostfile", hostfile(hosts)});
    return on_with_ssh("a", words, seconds(30));
  }
  /// The key that b's sshd takes.
  static void take_the_right_key() { sh("cp /run/lab/ssh/user_key /root/.ssh/id_ed25519"); }
  static void know_b() { sh("ssh-keyscan -p 2222 192.168.1.6 >/root/.ssh/known_hosts 2>/dev/null"); }
  static constexpr const char* b_is = "\n192.168.1.6 (port 2222): ";
};

TEST_F(SetupSsh, HostsThatLetTheUserInAreOk) {
  take_the_right_key();
  know_b();
  const auto result = setup({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "192.168.1.5: this host\n192.168.1.6 (port 2222): ok\n");
}

TEST_F(SetupSsh, AnUnknownHostKeyIsShownAndTrustedOnlyByTheUsersWord) {
  take_the_right_key();
  const std::string fingerprint = sh("ssh-keygen -l -f /run/lab/host/b/host_key.pub | cut -d' ' -f2");
  const auto asked = setup({});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_THAT(asked.out, HasSubstr(std::string(b_is) + "its host key is not known here; it shows " +
                                   fingerprint.substr(0, fingerprint.size() - 1)));
  EXPECT_THAT(asked.out, HasSubstr("ssh-keyscan -p 2222 192.168.1.6 >> ~/.ssh/known_hosts\n"));
  EXPECT_EQ(sh("ls /root/.ssh"), "id_ed25519\n");
  const auto trusted = setup({"--yes"});
  EXPECT_EQ(trusted.exit_code, 0) << trusted.out;
  EXPECT_THAT(trusted.out, HasSubstr("trusts its host key from now on: SHA256:"));
  EXPECT_EQ(setup({}).exit_code, 0);
}

TEST_F(SetupSsh, AMissingKeyIsMadeOnlyByTheUsersWordAndNeverTwice) {
  know_b();
  const auto asked = setup({});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_THAT(asked.out, HasSubstr(std::string(b_is) + "this user has no key\n"));
  EXPECT_THAT(asked.out,
              HasSubstr("ssh-keygen -t ed25519 -N '' -f ~/.ssh/id_ed25519 && ssh-copy-id -p 2222 192.168.1.6"));
  const auto made = setup({"--yes"});
  EXPECT_EQ(made.exit_code, 3) << "b does not know it yet";
  EXPECT_THAT(made.out, HasSubstr("made a key without a passphrase: /root/.ssh/id_ed25519\n"));
  EXPECT_THAT(made.out, HasSubstr(std::string(b_is) + "it takes none of this user's keys"));
  const std::string key = sh("cat /root/.ssh/id_ed25519; stat -c %a /root/.ssh/id_ed25519");
  EXPECT_THAT(key, HasSubstr("600\n"));
  EXPECT_THAT(setup({"--yes"}).out, Not(HasSubstr("made a key")));
  EXPECT_EQ(sh("cat /root/.ssh/id_ed25519; stat -c %a /root/.ssh/id_ed25519"), key);
}

TEST_F(SetupSsh, AKeyThatIsNotTakenIsNamedWithTheCommandThatSendsIt) {
  sh("ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519");
  const auto login = change("b", {"password-login", "2223"});
  sh("ssh-keyscan -p 2223 192.168.1.6 >/root/.ssh/known_hosts 2>/dev/null");
  const auto result = setup({"--yes"}, "2223");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("it takes none of this user's keys\n    ssh-copy-id -p 2223 192.168.1.6\n"));
}

TEST_F(SetupSsh, AHostKeyThatChangedIsNeverTouched) {
  take_the_right_key();
  sh("ssh-keygen -q -t ed25519 -N '' -f /tmp/other && "
     "echo \"[192.168.1.6]:2222 $(cut -d' ' -f1,2 /tmp/other.pub)\" >/root/.ssh/known_hosts; rm /tmp/other*");
  const std::string before = sh("cat /root/.ssh/known_hosts");
  const auto result = setup({"--yes"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr(std::string(b_is) + "its host key is not the one that is known here"));
  EXPECT_THAT(result.out, HasSubstr("ssh-keygen -R '[192.168.1.6]:2222' -f ~/.ssh/known_hosts"));
  EXPECT_EQ(sh("cat /root/.ssh/known_hosts"), before);
}

TEST_F(SetupSsh, AKeyBehindAPassphraseWithoutAnAgentIsNamed) {
  sh("ssh-keygen -q -t ed25519 -N secret -f /root/.ssh/id_ed25519");
  know_b();
  const auto result = setup({"--yes"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out,
              HasSubstr(std::string(b_is) + "/root/.ssh/id_ed25519 has a passphrase, and no agent holds it"));
  EXPECT_THAT(result.out, HasSubstr("ssh-add ~/.ssh/id_ed25519"));
}

TEST_F(SetupSsh, FilesThatOthersMayReadAreNamed) {
  take_the_right_key();
  know_b();
  sh("chmod 644 /root/.ssh/id_ed25519");
  const auto key = setup({});
  EXPECT_EQ(key.exit_code, 3);
  EXPECT_THAT(key.out, HasSubstr("/root/.ssh/id_ed25519 here may be read or written by others"));
  EXPECT_THAT(key.out, HasSubstr("chmod 600 ~/.ssh/id_ed25519"));
  sh("chmod 600 /root/.ssh/id_ed25519; touch /root/.ssh/config; chmod 666 /root/.ssh/config");
  const auto settings = setup({});
  EXPECT_EQ(settings.exit_code, 3);
  EXPECT_THAT(settings.err, HasSubstr("Bad owner or permissions on /root/.ssh/config"));
  EXPECT_THAT(settings.err, HasSubstr("chmod 600 ~/.ssh/config"));
}

TEST_F(SetupSsh, AKeyThatTheHostDistrustsForItsFilesRightsIsMendedThere) {
  take_the_right_key();
  on("b", {"sh", "-c", "mkdir -p /root/keys; cp /run/lab/ssh/user_key.pub /root/keys/list; chmod 600 /root/keys/list"});
  const auto login = change("b", {"strict-login", "2224", "/root/keys/list"});
  sh("ssh-keyscan -p 2224 192.168.1.6 >/root/.ssh/known_hosts 2>/dev/null");
  ASSERT_EQ(setup({}, "2224").exit_code, 0);
  on("b", {"chmod", "666", "/root/keys/list"});
  const auto result = setup({}, "2224");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, HasSubstr("on that host: chmod go-w ~; chmod 700 ~/.ssh; chmod 600 ~/.ssh/authorized_keys"));
}

TEST_F(SetupSsh, AtATerminalTheKeyIsMadeAndSentSoThatEveryHostLetsTheUserIn) {
  // Root's password on b alone, and a program that types it.
  sh("(echo \"root:$(perl -e 'print crypt(q(secret), q($6$lab$))'):19000:0:99999:7:::\"; grep -v ^root: /etc/shadow) "
     ">/run/lab/shadow; "
     "chmod 600 /run/lab/shadow; printf '#!/bin/sh\necho secret\n' >/run/lab/askpass; chmod 755 /run/lab/askpass");
  const auto shadow = change("b", {"file", "/etc/shadow", "/run/lab/shadow"});
  on("b", {"sh", "-c", "rm /root/.ssh; mkdir -m 700 /root/.ssh"});
  const auto login = change("b", {"strict-login", "2225", "/root/.ssh/authorized_keys"});
  const std::string line = "env SSH_ASKPASS=/run/lab/askpass SSH_ASKPASS_REQUIRE=force " + built_program("ringrun") +
                           " --setup-ssh --yes -hostfile " + hostfile("192.168.1.6 port=2225\n");
  const auto result = on_with_ssh("a", {"script", "--quiet", "--return", "--command", line, "/dev/null"}, seconds(40));
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr("trusts its host key from now on"));
  EXPECT_THAT(result.out, HasSubstr("192.168.1.6 (port 2225): ok"));
  EXPECT_EQ(setup({}, "2225").exit_code, 0);
  on("b", {"sh", "-c", "rm -r /root/.ssh; ln -s /run/lab/ssh /root/.ssh"});
}

TEST_F(SetupSsh, EveryHostIsToldOfAtOnceWithinItsDeadline) {
  const std::string hosts = hostfile("192.168.1.6 port=2222\nroot@b port=24\n192.168.1.77\nno-such-name\n");
  const auto result = on_with_ssh("a", {built_program("ringrun"), "--setup-ssh", "-hostfile", hosts}, seconds(30));
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.elapsed, seconds(20));
  EXPECT_THAT(result.out, StartsWith("192.168.1.6 (port 2222): its host key is not known here"));
  EXPECT_THAT(result.out,
              ContainsRegex("\nroot@b \\(port 24\\): [^\n]*Connection refused[^\n]*\n[^\n]*\n +sudo service ssh"));
  EXPECT_THAT(result.out, ContainsRegex("\n192[.]168[.]1[.]77: The host is down"));
  EXPECT_THAT(result.out, ContainsRegex("\nno-such-name: The name is unknown here"));
  EXPECT_THAT(result.out, HasSubstr("\n0 of 4 other hosts let this user in"));
}

TEST_F(SetupSsh, APortThatSaysNothingIsNotWaitedForForEver) {
  const auto listener = change("b", {"listener", "2200"});
  const auto result = setup({"--yes"}, "2200");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.elapsed, seconds(15));
  EXPECT_THAT(result.out,
              HasSubstr("\n192.168.1.6 (port 2200): Something took the connection to port 2200 and did not"));
}

}  // namespace
}  // namespace ringrun::test
