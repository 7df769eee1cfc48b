#include "launcher/ssh/login.hpp"

#include <cstring>

#include "lib/explain/catalogue.hpp"
#include "lib/text/shell_word.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

constexpr const char* kMark = "RINGRUN-LOGIN";
constexpr int kAtOnce = 64;

std::string line_of(const std::string& program, const Host& host, const std::string& behind = "") {
  std::string line = program;
  for (const std::string& word : ssh_target(host)) line += " " + quote_for_shell(word);
  return line + (behind.empty() ? "" : " " + behind);
}

/// The line with which a host was in known_hosts: its name, or "[name]:port".
std::string known_name(const LoginFacts& facts) {
  if (!facts.settings.key_alias.empty()) return facts.settings.key_alias;
  const std::string& address = facts.settings.address;
  return facts.settings.port == 22 ? address : "[" + address + "]:" + std::to_string(facts.settings.port);
}

std::string copy_line(const LoginFacts& facts) {
  const bool usual = facts.user.to_make.find("/.ssh/id_") != std::string::npos;
  const std::string& key = facts.user.files.empty() ? facts.user.to_make : facts.user.files.front();
  return line_of(usual ? "ssh-copy-id" : "ssh-copy-id -i " + for_person(key, facts.home), facts.host);
}

std::string make_and_copy(const LoginFacts& facts) {
  return key_making_line(facts.user.to_make, facts.home) + " && " + copy_line(facts);
}

Login unknown_key(const LoginFacts& facts) {
  Login login{LoginState::key_unknown, "its host key is not known here", ""};
  if (facts.keys.lines.empty()) {
    login.mend = line_of("ssh", facts.host, "true") + "   # once by hand: compare the fingerprint that it shows";
    return login;
  }
  login.problem += "; it shows " + join_text(facts.keys.fingerprints, ", ");
  login.mend = "ssh-keyscan -p " + std::to_string(facts.settings.port) + " " + quote_for_shell(facts.settings.address) +
               " >> " + for_person(facts.settings.known_hosts, facts.home) +
               "\n# before that, compare; on that host: ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub";
  if (!facts.user.any()) login.mend += "\n# this user has no key yet:\n" + make_and_copy(facts);
  return login;
}

Login changed_key(const LoginFacts& facts) {
  return {LoginState::key_changed,
          "its host key is not the one that is known here: it was set up anew, or another host answers in its place",
          "ssh-keygen -R " + quote_for_shell(known_name(facts)) + " -f " +
              for_person(facts.settings.known_hosts, facts.home) +
              "   # only where you know why it changed; then once more: ringrun --setup-ssh"};
}

Login refused_key(const LoginFacts& facts, const std::string& words) {
  if (!facts.user.any()) {
    return {LoginState::key_missing, "this user has no key", make_and_copy(facts)};
  }
  if (facts.user.locked && !facts.user.in_agent) {
    return {LoginState::key_locked, facts.user.files.front() + " has a passphrase, and no agent holds it",
            "eval $(ssh-agent) && ssh-add " + for_person(facts.user.files.front(), facts.home) +
                "   # and start ringrun from that shell"};
  }
  Login login{LoginState::key_refused, "it takes none of this user's keys", copy_line(facts)};
  const bool asks_password =
      words.find("password") != std::string::npos || words.find("interactive") != std::string::npos;
  if (!asks_password) {
    login.problem += ", and no password";
    login.mend += "   # from a host that it lets in; or on that host, as " + facts.host.user.value_or("this user") +
                  ", append this host's *.pub to ~/.ssh/authorized_keys";
  }
  login.mend +=
      "\n# where the key is there already, on that host: chmod go-w ~; chmod 700 ~/.ssh; chmod 600 "
      "~/.ssh/authorized_keys";
  return login;
}

/// What is wrong with files here keeps ssh from even asking.
std::string unsafe_file(const std::string& words) {
  for (const auto& [before, behind] :
       {std::pair{"Bad owner or permissions on ", "\r\n"}, std::pair{"Load key \"", "\""}}) {
    const std::size_t at = words.find(before);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + std::strlen(before);
    return words.substr(begin, words.find_first_of(behind, begin) - begin);
  }
  return {};
}

/// In the catalogue's words: what a launch would say.
Login other_fault(const Captured& tried, const LoginFacts& facts) {
  HostView view;
  view.name = facts.host.user ? *facts.host.user + "@" + facts.host.name : facts.host.name;
  view.port = facts.host.port;
  view.address = facts.settings.address;
  const bool silent = tried.end == Captured::End::timed_out;
  view.fault = silent ? AgentFault::silent : AgentFault::shell_failed;
  view.agent_words = tried.err;
  Situation situation;
  situation.hosts = {view};
  const Findings findings = find_faults(situation);
  std::string words = tried.err.substr(0, tried.err.find_last_not_of("\r\n") + 1);
  words = words.substr(words.find_last_of('\n') + 1);
  if (findings.empty()) return {LoginState::other, words, ""};
  const std::string seen = words.empty() ? "" : " (" + words + ")";
  return {LoginState::other, findings[0].why + seen, findings[0].fix};
}

}  // namespace

std::vector<Captured> try_logins(const std::vector<std::string>& shell, const HostList& hosts) {
  std::vector<std::string> words = shell;
  words.insert(words.end(), {"-o", "BatchMode=yes", "-o", "ConnectTimeout=5"});
  std::vector<CaptureCommand> commands;
  for (const Host& host : hosts) {
    std::vector<std::string> command = words;
    const std::vector<std::string> target = ssh_target(host);
    command.insert(command.end(), target.begin(), target.end());
    command.push_back(std::string("echo ") + kMark);
    commands.push_back({std::move(command), "", std::chrono::seconds(12), true});
  }
  return capture_all(commands, kAtOnce);
}

Login read_login(const Captured& tried, const LoginFacts& facts) {
  const auto says = [&](const char* words) { return tried.err.find(words) != std::string::npos; };
  if (tried.end == Captured::End::exited && tried.out.find(kMark) != std::string::npos)
    return {LoginState::works, "", ""};
  if (tried.end == Captured::End::exited && tried.code != 255) {
    return {LoginState::other, "its login shell runs no commands: " + tried.out.substr(0, 200),
            "# on that host: a shell for this user: sudo chsh -s /bin/bash USER"};
  }
  if (says("REMOTE HOST IDENTIFICATION HAS CHANGED")) return changed_key(facts);
  if (says("Host key verification failed")) return unknown_key(facts);
  if (says("UNPROTECTED PRIVATE KEY FILE") || says("Bad owner or permissions")) {
    const std::string file = unsafe_file(tried.err);
    return {LoginState::other, file + " here may be read or written by others: ssh does not use it",
            "chmod 700 ~/.ssh; chmod 600 " + for_person(file, facts.home)};
  }
  if (says("Permission denied")) return refused_key(facts, tried.err);
  return other_fault(tried, facts);
}

}  // namespace ringrun
