#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/error.hpp"
#include "lib/gpu/gpu.hpp"
#include "lib/topology/machine.hpp"

namespace ringrun {

/// Where one rank of a host runs.
struct RankPlacement {
  /// A place in the host's list of GPUs (the number that the CUDA runtime gives the device), -1 for none.
  int gpu = -1;
  /// The memory node of its processors, or of its GPU where it is not bound; none where they are of several.
  std::optional<int> numa;
  /// The processors that it is bound to; empty: it is left as the engine starts it.
  std::vector<int> cpus;
  /// The memory nodes that its memory comes from; empty where it is not bound.
  std::vector<int> memory_nodes;
  /// The network cards nearest to its GPU, by name. NCCL is told the same cards by every rank of a host: these are for
  /// display, and for what may differ by rank (UCX_NET_DEVICES).
  std::vector<std::string> nics;
  std::vector<std::string> hcas;
  /// CUDA_VISIBLE_DEVICES, where the rank is to see its own GPU alone.
  std::optional<std::string> visible_devices;
  bool operator==(const RankPlacement&) const = default;
};

struct HostPlacement {
  std::vector<RankPlacement> ranks;  ///< in local-rank order
  /// What a person should know of it, for example that the machine does not show where its GPUs sit; "" for nothing.
  std::string note;
  bool operator==(const HostPlacement&) const = default;
};

struct PlacementPolicy {
  /// False where the user or the engine binds.
  bool bind = true;
  /// False: more ranks than GPUs are an error.
  bool share_gpu = true;
  /// Where it is not each in turn: the place of each rank's GPU in the list, -1 for none.
  std::vector<int> gpu_of_rank = {};
  /// Each rank sees its own GPU alone; else all of them, so that they reach each other directly.
  bool own_gpu_only = false;
  /// The processors that ranks may be bound to; unset: all that the machine has.
  std::optional<std::vector<int>> cpu_set;
  /// Interfaces and RDMA devices that reach the other hosts; empty: all.
  std::vector<std::string> nics;
  std::vector<std::string> hcas;
  bool operator==(const PlacementPolicy&) const = default;
};

/// Of more ranks than GPUs on a host where these are not to be shared.
UserError too_few_gpus(std::size_t ranks, std::size_t gpus);

/// The ranks of one host. `gpus` are those that ranks may use, in the order of their ranks: rank i takes GPU i, and
/// starts again where there are more ranks than GPUs, unless the policy says which.
/// A rank is bound to cores of the memory node next to its GPU, of the nearest that has any where that one has none,
/// and of further ones where these have a single processor; share_cpus says how they are shared out. Without GPUs
/// nothing is bound, but to the whole of a said set of CPUs.
/// Throws UserError, which names no host, where the policy cannot be met.
HostPlacement resolve_placement(const Machine& machine, const std::vector<Gpu>& gpus, int local_size,
                                const PlacementPolicy& policy);

}  // namespace ringrun
