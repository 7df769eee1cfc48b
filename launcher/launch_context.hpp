#pragma once

#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/engine/engine.hpp"
#include "launcher/engine/exports.hpp"
#include "launcher/engine/slurm.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/hosts/slurm_allocation.hpp"
#include "launcher/job/job_program.hpp"

namespace ringrun {

/// What a launch knows before it asks the hosts: the request, and what was looked up here.
struct LaunchContext {
  const LaunchRequest& request;
  /// ringrun's own.
  Environment environment;
  /// Absolute path of this program.
  std::string ringrun;
  /// The current folder.
  std::string cwd;
  std::optional<SlurmAllocation> allocation = {};
  /// In an allocation, where there is srun.
  std::optional<Slurm> slurm = {};
  /// Names of what an outer job left in the environment; they are gone from `environment`.
  std::vector<std::string> dropped = {};
  HostList hosts = {};
  /// Of the first program; what is forwarded is everybody's.
  Exports exports = {};
  /// At least one.
  std::vector<JobProgram> programs = {};
  Engine engine = {};
  /// Words of the remote shell; empty where every host is this one, or where there is none.
  std::vector<std::string> shell = {};

  /// `shell` is srun.
  bool through_slurm() const;
  /// The first program; "" where --doctor found none.
  std::string program() const;
  /// Those behind it.
  std::vector<std::string> more_programs() const;
  /// The first program is the sweep's worker.
  bool is_worker() const;
};

/// The request, this process's environment and folder; nothing is looked up yet. From here on this process's own
/// environment marks what it starts as ringrun's, so that a search for the engine passes ringrun by. Throws UserError
/// where the current folder is gone.
LaunchContext make_launch_context(const LaunchRequest& request);

}  // namespace ringrun
