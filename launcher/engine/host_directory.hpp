#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// What `ringrun __rsh` must know of the job's hosts; it finds it in RINGRUN_HOSTS, on the launching host alone.
struct HostDirectory {
  /// Words of the real remote shell.
  std::vector<std::string> shell;
  /// In the plan's order; only name, user, port and container matter here.
  HostList hosts;
  /// Where ringrun stands on each host, "" where it stands at the launcher's own path.
  std::vector<std::string> programs;
  /// Of the running job, for what the remote shell tells the launcher; "" where nobody listens. Not in the JSON.
  std::string run_id = {};
};

inline constexpr const char* kHostsVariable = "RINGRUN_HOSTS";
inline constexpr const char* kHostVariable = "RINGRUN_HOST";
inline constexpr const char* kSelfVariable = "RINGRUN_SELF";

std::string to_json(const HostDirectory& directory);

/// Throws UserError.
HostDirectory host_directory_from_json(std::string_view json);

/// `words` are what the engine gives its remote-shell agent: HOST, perhaps -p PORT or -l USER, then the command.
/// Returns the real remote shell's whole command, which sets the host's place in the plan before the daemon starts. A
/// host that the directory does not know gets the command as it is.
std::vector<std::string> daemon_command(const HostDirectory& directory, const std::vector<std::string>& words);

/// The place in the plan of the host that these words are for; nullopt for a host that the directory does not know.
std::optional<int> host_place(const HostDirectory& directory, const std::vector<std::string>& words);

}  // namespace ringrun
