#include "launcher/ssh/host_keys.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launcher/launch_errors.hpp"
#include "launcher/run/capture.hpp"

namespace ringrun {
namespace {

constexpr int kAtOnce = 64;

/// "256 SHA256:abc name (ED25519)" as "SHA256:abc (ED25519)".
std::vector<std::string> fingerprints_of(const std::string& lines) {
  const Captured printed =
      capture_all({{{"ssh-keygen", "-l", "-f", "-"}, lines, std::chrono::seconds(10), true}}, 1)[0];
  std::vector<std::string> fingerprints;
  std::istringstream text(printed.out);
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string bits;
    std::string hash;
    words >> bits >> hash;
    const std::size_t type = line.rfind('(');
    fingerprints.push_back(hash + (type == std::string::npos ? "" : " " + line.substr(type)));
  }
  return fingerprints;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

std::vector<std::string> known_hosts_lines(const std::string& answer, const SshSettings& host) {
  std::vector<std::string> lines;
  std::istringstream text(answer);
  for (std::string line; std::getline(text, line);) {
    const std::size_t blank = line.find(' ');
    if (line.empty() || line[0] == '#' || blank == std::string::npos) continue;
    lines.push_back(host.key_alias.empty() ? line : host.key_alias + line.substr(blank));
  }
  return lines;
}

std::vector<HostKeys> scan_host_keys(const std::vector<SshSettings>& hosts) {
  std::vector<CaptureCommand> commands;
  for (const SshSettings& host : hosts) {
    std::vector<std::string> scan{"ssh-keyscan", "-T", "5", "-p", std::to_string(host.port), host.address};
    if (host.by_proxy) scan = {"true"};
    commands.push_back({std::move(scan), "", std::chrono::seconds(12), true});
  }
  std::vector<HostKeys> keys;
  const std::vector<Captured> answers = capture_all(commands, kAtOnce);
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    HostKeys& found = keys.emplace_back();
    found.lines = known_hosts_lines(answers[i].out, hosts[i]);
    if (!found.lines.empty()) found.fingerprints = fingerprints_of(joined(found.lines));
  }
  return keys;
}

void trust_host_keys(const std::string& known_hosts, const HostKeys& keys) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::path(known_hosts).parent_path();
  if (!std::filesystem::exists(folder, error)) {
    std::filesystem::create_directories(folder, error);
    chmod(folder.c_str(), 0700);
  }
  // A file whose last line has no end would take the first of these into it.
  std::ifstream before(known_hosts, std::ios::binary | std::ios::ate);
  bool open_line = false;
  if (before && before.tellg() > 0) {
    before.seekg(-1, std::ios::end);
    open_line = before.get() != '\n';
  }
  std::ofstream file(known_hosts, std::ios::app);
  file << (open_line ? "\n" : "") << joined(keys.lines);
  if (!file.flush()) {
    throw HostError(known_hosts + " cannot be written: " + std::strerror(errno),
                    "make it writable for this user: chmod 600 " + known_hosts);
  }
}

}  // namespace ringrun
