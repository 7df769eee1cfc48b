#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/engine/exports.hpp"
#include "launcher/engine/host_directory.hpp"
#include "launcher/engine/mpirun.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// A command and how its environment differs from ringrun's.
struct EngineCommand {
  std::vector<std::string> argv;
  Environment set;
  std::vector<std::string> unset;
};

/// Everything that one mpirun command says.
struct EngineRequest {
  /// Absolute path of ringrun, the same on every host.
  std::string ringrun;
  Mpirun mpirun;
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

/// The command for Open MPI 4.1 or 5, whichever request.mpirun is. Pure.
EngineCommand openmpi_command(const EngineRequest& request, const Environment& environment);

/// True where mpirun would start as root: not root, or said to be meant.
bool may_run_as_root(bool allowed_by_option, const Environment& environment);

/// `env -u A B=C command …`, quoted for a shell.
std::string shell_line(const EngineCommand& command);

}  // namespace ringrun
