#pragma once

#include "launcher/cli/launch_request.hpp"
#include "launcher/engine/left_over.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/job/job_program.hpp"

namespace ringrun {

/// Throws UserError where this is root and nobody said that Open MPI may start jobs as root.
void check_root(const LaunchRequest& request, const Environment& environment);

/// Throws UserError for words that do not go together.
void check_words(const LaunchRequest& request);

/// Throws UserError for a name that the engine cannot take.
void check_names(const HostList& hosts);

/// Throws UserError where -x and a host's gpus= both say which GPUs there are.
void check_visible_devices(const HostList& hosts, const std::vector<JobProgram>& programs);

/// Throws UserError for a host's container where Slurm starts what runs on the hosts.
void check_containers(const HostList& hosts, bool by_slurm);

/// Throws UserError where PATH leads ringrun to itself in the engine's place, through a script for example.
void check_not_own_engine(const Environment& environment);

/// False where the engine is told to let a job go on after a rank failed.
bool ends_at_failure(const LaunchRequest& request, const Environment& environment);

}  // namespace ringrun
