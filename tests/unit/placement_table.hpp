#pragma once

#include <string>
#include <vector>

#include "lib/gpu/gpu.hpp"
#include "lib/placement/placement.hpp"

namespace ringrun {

/// One line a rank: "rank → GPU's bus id | node | CPUs | memory nodes | NICs | HCAs", "-" where there is none.
std::string placement_table(const std::vector<Gpu>& gpus, const HostPlacement& placement);

/// The same for a machine's own GPUs, or the first `ranks` of them, and its note in a last line where it has one.
std::string placement_table(const Machine& machine, int ranks, const PlacementPolicy& policy = {});

}  // namespace ringrun
