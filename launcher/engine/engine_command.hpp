#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/engine/engine.hpp"
#include "launcher/engine/engine_options.hpp"
#include "launcher/engine/exports.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/hosts/slots.hpp"

namespace ringrun {

/// A command and how its environment differs from ringrun's.
struct EngineCommand {
  std::vector<std::string> argv;
  Environment set;
  std::vector<std::string> unset;
};

/// A program of a job that has several, for an engine that starts each by itself.
struct EngineProgram {
  std::optional<int> ranks;
  /// Empty: its words name none.
  std::vector<HostSlots> hosts;
  std::optional<std::string> working_directory;
  Environment exports;
  std::vector<std::string> argv;
};

/// Everything that the engine's command says.
struct EngineRequest {
  /// Absolute path of ringrun, the same on every host.
  std::string ringrun;
  Engine engine;
  /// The plan's hosts in order, each with its slots and its ranks.
  HostList hosts;
  std::vector<int> slots;
  std::vector<int> ranks;
  /// The host of each rank; empty where only the engine knows.
  std::vector<int> host_of_rank;
  /// Number of ranks where it is known or said.
  std::optional<int> size;
  /// Hosts are filled in the order of the list, whatever the engine's own rules are.
  bool in_list_order = false;
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
  bool allow_run_as_root = false;
  EngineOptions options;
  std::optional<std::string> prefix;
  std::vector<std::pair<std::string, std::string>> parameters;
  /// Names among them that belong to --prtemca, --pmixmca or --omca.
  std::map<std::string, std::string> parameter_options;
  Exports exports;
  std::string plan;
  /// The job's name among others.
  std::string run_id;
  /// The only program; empty where the plan or `programs` has several.
  std::optional<std::string> working_directory;
  std::vector<std::string> program;
  std::vector<EngineProgram> programs;
  /// Variables of an outer job, which are gone from ringrun's own environment already.
  std::vector<std::string> dropped;
};

/// The command of whichever engine the request names. Pure. Throws UserError for what that engine cannot do.
EngineCommand engine_command(const EngineRequest& request, const Environment& environment);

/// `env -u A B=C command …`, quoted for a shell.
std::string shell_line(const EngineCommand& command);

}  // namespace ringrun
