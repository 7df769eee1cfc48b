#pragma once

#include "launcher/cli/launch_request.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/hosts/slurm_allocation.hpp"

namespace ringrun {

/// The hosts of the job: those of the hostfile and of -H, which must be in Slurm's allocation where there is one; else
/// the allocation's, else this one. Reads files, asks no host. Throws UserError.
HostList job_hosts(const LaunchRequest& request, const std::optional<SlurmAllocation>& allocation);

}  // namespace ringrun
