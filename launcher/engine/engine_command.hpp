#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/engine/engine.hpp"
#include "launcher/engine/exports.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// A command and how its environment differs from ringrun's.
struct EngineCommand {
  std::vector<std::string> argv;
  Environment set;
  std::vector<std::string> unset;
};

/// Everything that the engine's command says.
struct EngineRequest {
  /// Absolute path of ringrun, the same on every host.
  std::string ringrun;
  Engine engine;
  /// The plan's hosts in order, each with its ranks.
  HostList hosts;
  std::vector<int> ranks;
  /// Where ringrun was copied to on each host, "" where it stands at the path above.
  std::vector<std::string> staged;
  /// The launching host's place in `hosts`, -1 where it is not among them.
  int own_host = -1;
  /// Words of the remote shell; empty where no host is remote.
  std::vector<std::string> shell;
  /// No host is remote, and this one has no remote shell.
  bool no_ssh = false;
  /// ringrun runs in a Slurm allocation, in which mpirun is to see nothing but the hosts it is given.
  bool in_allocation = false;
  /// ringrun binds the ranks.
  bool binds = false;
  /// More ranks than slots somewhere.
  bool oversubscribed = false;
  bool oversubscribe = false;
  bool allow_run_as_root = false;
  std::optional<std::string> bind_to;
  std::optional<std::string> working_directory;
  std::optional<std::string> prefix;
  std::vector<std::pair<std::string, std::string>> parameters;
  Exports exports;
  std::string plan;
  std::vector<std::string> program;
};

/// The command of whichever engine the request names. Pure. Throws UserError for what that engine cannot do.
EngineCommand engine_command(const EngineRequest& request, const Environment& environment);

/// `env -u A B=C command …`, quoted for a shell.
std::string shell_line(const EngineCommand& command);

}  // namespace ringrun
