#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/ssh/ssh_settings.hpp"

namespace ringrun {

/// What this user has to log in to a host with.
struct UserKeys {
  /// Files of keys that are there; the others that ssh would try are not.
  std::vector<std::string> files;
  /// Every one of them asks for a passphrase.
  bool locked = false;
  /// ssh's agent holds some key.
  bool in_agent = false;
  /// The file that a key is made in where there is none.
  std::string to_make;

  bool any() const { return in_agent || !files.empty(); }
};

/// Looks them up. `agent` is what agent_holds_keys() said.
UserKeys find_user_keys(const SshSettings& settings, bool agent);

bool agent_holds_keys();

/// Makes a key without a passphrase, and the folder for it. One that is there is never replaced. Throws HostError.
void make_key(const std::string& file);

/// `ssh-keygen …`, as a person types it.
std::string key_making_line(const std::string& file, const std::string& home);

/// The path with ~ for the home folder, quoted for a shell.
std::string for_person(const std::string& path, const std::string& home);

}  // namespace ringrun
