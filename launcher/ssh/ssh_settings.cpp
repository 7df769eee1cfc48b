#include "launcher/ssh/ssh_settings.hpp"

#include <pwd.h>
#include <unistd.h>

#include <charconv>
#include <sstream>

#include "launcher/launch_errors.hpp"
#include "launcher/run/capture.hpp"

namespace ringrun {
namespace {

constexpr int kAtOnce = 64;

std::string expanded(const std::string& path, const std::string& home) {
  return path.rfind("~/", 0) == 0 ? home + path.substr(1) : path;
}

}  // namespace

std::vector<std::string> ssh_target(const Host& host) {
  std::vector<std::string> words;
  if (host.port) words = {"-p", std::to_string(*host.port)};
  words.push_back(host.user ? *host.user + "@" + host.name : host.name);
  return words;
}

SshSettings parse_ssh_settings(const std::string& text, const std::string& home) {
  SshSettings settings;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string::npos) continue;
    const std::string name = line.substr(0, blank);
    const std::string value = line.substr(blank + 1);
    if (name == "hostname") settings.address = value;
    if (name == "port") std::from_chars(value.data(), value.data() + value.size(), settings.port);
    if (name == "hostkeyalias") settings.key_alias = value;
    if (name == "identityfile") settings.keys.push_back(expanded(value, home));
    if (name == "userknownhostsfile") settings.known_hosts = expanded(value.substr(0, value.find(' ')), home);
    if (name == "proxyjump" || name == "proxycommand") settings.by_proxy = value != "none";
  }
  return settings;
}

std::string ssh_home() {
  const passwd* user = getpwuid(geteuid());
  if (user == nullptr || user->pw_dir == nullptr || *user->pw_dir == '\0') {
    throw HostError("this user has no home folder: the user database does not know " + std::to_string(geteuid()),
                    "start ringrun as a user of this host");
  }
  return user->pw_dir;
}

std::vector<SshSettings> read_ssh_settings(const std::vector<std::string>& shell, const HostList& hosts,
                                           const std::string& home) {
  std::vector<std::string> asking = shell;
  asking.insert(asking.begin() + 1, "-G");
  std::vector<CaptureCommand> commands;
  for (const Host& host : hosts) {
    std::vector<std::string> command = asking;
    const std::vector<std::string> target = ssh_target(host);
    command.insert(command.end(), target.begin(), target.end());
    commands.push_back({std::move(command), "", std::chrono::seconds(10), true});
  }
  std::vector<SshSettings> settings;
  for (const Captured& captured : capture_all(commands, kAtOnce)) {
    if (captured.end != Captured::End::exited || captured.code != 0) {
      const std::string words = captured.err.substr(0, captured.err.find_last_not_of("\r\n") + 1);
      throw HostError("ssh cannot read its configuration: " + words,
                      "chmod 700 ~/.ssh; chmod 600 ~/.ssh/config   # or mend the line that it names");
    }
    settings.push_back(parse_ssh_settings(captured.out, home));
  }
  return settings;
}

}  // namespace ringrun
