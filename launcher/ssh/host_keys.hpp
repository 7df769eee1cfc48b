#pragma once

#include <string>
#include <vector>

#include "launcher/ssh/ssh_settings.hpp"

namespace ringrun {

/// The keys by which a host names itself, as somebody on the network says: nobody has compared them yet.
struct HostKeys {
  /// Lines for known_hosts; none where nothing answered.
  std::vector<std::string> lines;
  /// "SHA256:… (ED25519)", in the same order.
  std::vector<std::string> fingerprints;
};

/// Asks all hosts at once. A host that ssh reaches by a proxy is not asked.
std::vector<HostKeys> scan_host_keys(const std::vector<SshSettings>& hosts);

/// The lines of `ssh-keyscan`'s answer, with the name under which ssh looks the host up. Pure.
std::vector<std::string> known_hosts_lines(const std::string& answer, const SshSettings& host);

/// Appends the lines to the file that ssh reads. Throws HostError.
void trust_host_keys(const std::string& known_hosts, const HostKeys& keys);

}  // namespace ringrun
