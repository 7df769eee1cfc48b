#pragma once

#include <optional>
#include <string>

#include "launcher/launch_context.hpp"

namespace ringrun {

/// The hostfile of a job that names no hosts: that of --default-hostfile; outside a Slurm allocation else Open MPI's
/// parameter, from --mca, the environment or a parameter file; else the installation's own file, where it names a host.
std::optional<std::string> find_default_hostfile(const LaunchContext& context);

}  // namespace ringrun
