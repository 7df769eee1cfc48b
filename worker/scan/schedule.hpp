#pragma once

#include <utility>
#include <vector>

namespace ringrun::worker {

using NodePair = std::pair<int, int>;  ///< the lower one first
using Round = std::vector<NodePair>;   ///< measured side by side

/// All pairs of nodes 0, 1, …, each once, in rounds in which no host takes part in two pairs, so that pairs share no
/// end of a link. `host_of_node` says which nodes share a host; hosts are 0, 1, …. With one node a host that is a
/// round-robin tournament: n - 1 rounds for an even number of hosts, n for an odd one, where one host rests in each.
std::vector<Round> pair_rounds(const std::vector<int>& host_of_node);

}  // namespace ringrun::worker
