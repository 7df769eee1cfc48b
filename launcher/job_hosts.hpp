#pragma once

#include "launcher/cli/launch_request.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// The hosts of the job: those of the hostfile and of -H, else this one. Reads files, asks no host. Throws UserError.
HostList job_hosts(const LaunchRequest& request, const Environment& environment);

}  // namespace ringrun
