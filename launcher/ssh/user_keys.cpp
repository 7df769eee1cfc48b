#include "launcher/ssh/user_keys.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "launcher/launch_errors.hpp"
#include "launcher/run/capture.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {
namespace {

namespace fs = std::filesystem;

Captured captured(const std::vector<std::string>& command) {
  return capture_all({{command, "", std::chrono::seconds(10), true}}, 1)[0];
}

bool ended_with(const Captured& captured, int code) {
  return captured.end == Captured::End::exited && captured.code == code;
}

/// One that cannot be read at all counts as one that can be used: ssh has more to say about it.
bool wants_passphrase(const std::string& key) {
  const Captured tried = captured({"ssh-keygen", "-y", "-P", "", "-f", key});
  return !ended_with(tried, 0) && tried.err.find("passphrase") != std::string::npos;
}

}  // namespace

UserKeys find_user_keys(const SshSettings& settings, bool agent) {
  UserKeys keys;
  keys.in_agent = agent;
  for (const std::string& file : settings.keys) {
    std::error_code error;
    if (fs::exists(file, error)) keys.files.push_back(file);
    // Of ssh's own names this one; who says others means the first.
    if (keys.to_make.empty() || fs::path(file).filename() == "id_ed25519") keys.to_make = file;
  }
  keys.locked = !keys.files.empty() && std::all_of(keys.files.begin(), keys.files.end(), wants_passphrase);
  return keys;
}

bool agent_holds_keys() { return ended_with(captured({"ssh-add", "-l"}), 0); }

void make_key(const std::string& file) {
  std::error_code error;
  const fs::path folder = fs::path(file).parent_path();
  fs::create_directories(folder, error);
  if (!error) chmod(folder.c_str(), 0700);
  if (fs::exists(fs::symlink_status(file, error)))
    throw HostError(file + " is there already, and no key that can be read", "move it away, or mend it (chmod 600)");
  const Captured made = captured({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file});
  if (ended_with(made, 0)) return;
  throw HostError("ssh-keygen made no key: " + (made.err.empty() ? made.out : made.err),
                  "sudo apt-get install -y openssh-client");
}

std::string key_making_line(const std::string& file, const std::string& home) {
  return "ssh-keygen -t ed25519 -N '' -f " + for_person(file, home);
}

std::string for_person(const std::string& path, const std::string& home) {
  if (path.rfind(home + "/", 0) != 0) return quote_for_shell(path);
  const std::string inner = path.substr(home.size() + 1);
  return quote_for_shell(inner) == inner ? "~/" + inner : quote_for_shell(path);
}

}  // namespace ringrun
