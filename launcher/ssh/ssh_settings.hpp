#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// What ssh makes of a host's name, user and port by its own configuration files.
struct SshSettings {
  /// Where it connects to.
  std::string address;
  int port = 22;
  /// The name under which it looks the host's key up, "" for that of the address.
  std::string key_alias;
  /// Files of keys that it tries, absolute.
  std::vector<std::string> keys;
  /// The file that it writes hosts' keys to, absolute.
  std::string known_hosts;
  /// It does not go there directly (ProxyJump, ProxyCommand).
  bool by_proxy = false;
};

/// The options and the name by which ssh and its like reach the host itself: {"-p", "2222", "joe@b"}.
std::vector<std::string> ssh_target(const Host& host);

/// Of what `ssh -G HOST` prints. `home` stands for ~.
SshSettings parse_ssh_settings(const std::string& text, const std::string& home);

/// The home folder that ssh uses, which is not HOME's but the user database's. Throws HostError where there is none.
std::string ssh_home();

/// Asks ssh, all hosts at once. `shell` is its words. Throws HostError, with ssh's own words, where its configuration
/// cannot be read.
std::vector<SshSettings> read_ssh_settings(const std::vector<std::string>& shell, const HostList& hosts,
                                           const std::string& home);

}  // namespace ringrun
