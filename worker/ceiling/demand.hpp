#pragma once

#include <vector>

#include "worker/sweep/operation.hpp"

namespace ringrun::worker {

/// How the data moves between nodes.
enum class Movement {
  kLeast,     ///< as little as any algorithm of the ranks can send
  kRing,      ///< from rank to rank, once around
  kInNetwork  ///< switches add up (NVLS, SHARP): every node sends and receives each byte once
};

/// Bytes that must pass the ports of nodes in one direction, whichever is the busier one.
struct Demand {
  std::vector<double> of_node;
  double of_all = 0;  ///< of all nodes together: what some of them save, others must send
};

/// What one operation asks of the ports between the nodes. `node_of_rank` has the operation's ranks in their order;
/// nodes are 0 … nodes-1. What stays within a node asks nothing.
Demand demand_of(const Operation& operation, const std::vector<int>& node_of_rank, int nodes, Movement movement);

}  // namespace ringrun::worker
