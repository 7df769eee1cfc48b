#pragma once

#include <vector>

namespace ringrun {

/// The processors that this process may give itself: those of its cpuset that are online, whatever its affinity mask.
/// Empty where the kernel does not say.
std::vector<int> cpuset_cpus();

}  // namespace ringrun
