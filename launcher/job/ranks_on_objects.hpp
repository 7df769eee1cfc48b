#pragma once

#include <vector>

#include "launcher/job/job.hpp"

namespace ringrun {

/// Of a mapping "ppr:N:OBJECT" with packages, NUMA nodes, cores or hardware threads: N for each that a host has, for
/// every host. 0 where the mapping is another, or where the host's objects are not known as the engine counts them: it
/// does not look at the affinity mask.
std::vector<int> ranks_on_objects(const JobRequest& request);

}  // namespace ringrun
