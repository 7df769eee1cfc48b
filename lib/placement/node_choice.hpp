#pragma once

#include <vector>

#include "lib/topology/machine.hpp"

namespace ringrun {

/// Leaves each rank that may have the cores of several nodes one of these, or whole nodes, so that no rank's threads
/// and memory are on both sides of a border which the machine does not say it has to cross: ranks in their order, as
/// many on each node as its processors are worth beside the ranks that are bound there anyway. A node that would be
/// nobody's goes to the nearest of them with the least; where all are alike and nobody's, neighbours go together. Ranks
/// keep all of their nodes where one would else have more than twice what another has. `nodes_of_rank` is as share_cpus
/// takes it. Ranks keep all of their nodes where one of these has a single processor.
std::vector<std::vector<int>> settle_on_nodes(const Machine& machine, std::vector<std::vector<int>> nodes_of_rank);

}  // namespace ringrun
