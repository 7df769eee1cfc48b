#pragma once

#include <vector>

#include "lib/topology/machine.hpp"

namespace ringrun {

/// Shares processors out among ranks. `nodes_of_rank` has for each rank the indices of the nodes whose cores it may
/// have, `homes` those of them that it would rather have; empty: none. The result has for each rank its processors, in
/// order:
/// - of its nodes alone, and none twice as long as each rank can have two;
/// - evenly: the rank with the fewest has as many as the nodes allow;
/// - whole cores, side by side in the order of the ranks' homes, then of the ranks; where there are fewer cores than
/// ranks, or a core each would leave a rank
///   with one processor, hardware threads;
/// - at least two wherever its nodes have two: then ranks share cores, of those with the fewest ranks the ones at home.
std::vector<std::vector<int>> share_cpus(const std::vector<NumaNode>& nodes,
                                         const std::vector<std::vector<int>>& nodes_of_rank,
                                         const std::vector<std::vector<int>>& homes = {});

}  // namespace ringrun
