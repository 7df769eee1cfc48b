#pragma once

#include <vector>

#include "lib/gpu/gpu.hpp"
#include "lib/topology/machine.hpp"

namespace ringrun {

/// Where one rank of a host runs. `gpu` is a place in the host's list of GPUs (the number that the CUDA runtime gives
/// the device), -1 for none. `cpus` are the processors that it is bound to; empty: it is left as the engine starts it.
struct RankPlacement {
  int gpu = -1;
  std::vector<int> cpus;
};

struct PlacementPolicy {
  /// False where the user or the engine binds.
  bool bind = true;
};

/// The ranks of one host, in local-rank order. Rank i takes GPU i, and starts again where there are more ranks than
/// GPUs. The cores of the memory nodes next to a GPU are shared out in whole cores, evenly and without overlap, among
/// the ranks whose GPUs are next to them; where that would leave a rank fewer than two processors, ranks share.
/// Without GPUs nothing is bound.
std::vector<RankPlacement> resolve_placement(const Machine& machine, const std::vector<Gpu>& gpus, int local_size,
                                             const PlacementPolicy& policy);

}  // namespace ringrun
