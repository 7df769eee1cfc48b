#include "worker/placement/gpu_share.hpp"

#include <algorithm>
#include <set>

namespace ringrun::worker {
namespace {

/// Those that the ranks of this host take in turn, as far as this process knows.
std::vector<Gpu> gpus_in_turn(const std::vector<Gpu>& gpus, const Options& options) {
  const auto wanted = static_cast<std::size_t>(options.ranks_of_process());
  if (!options.first_device) return gpus;
  std::vector<Gpu> own;
  for (std::size_t i = 0; i < wanted; ++i)
    own.push_back(gpus[(static_cast<std::size_t>(*options.first_device) + i) % gpus.size()]);
  return own;
}

}  // namespace

ProcessPlacement place_process(const Machine& machine, const std::vector<Gpu>& gpus,
                               const mpi::LaunchEnvironment& launch, const Options& options) {
  const int wanted = options.ranks_of_process();
  const int first = launch.local_rank.value_or(0) * wanted;
  const int ranks = std::max(launch.local_size.value_or(1) * wanted, first + wanted);
  const HostPlacement host = resolve_placement(machine, gpus_in_turn(gpus, options), ranks, {});
  std::set<int> cpus;
  std::set<int> memory;
  for (int rank = first; rank < first + wanted; ++rank) {
    const RankPlacement& placement = host.ranks[static_cast<std::size_t>(rank)];
    cpus.insert(placement.cpus.begin(), placement.cpus.end());
    memory.insert(placement.memory_nodes.begin(), placement.memory_nodes.end());
  }
  // On a single node it makes no difference.
  return {{cpus.begin(), cpus.end()}, {memory.begin(), memory.end()}, machine.numa_nodes.size() > 1 ? host.note : ""};
}

}  // namespace ringrun::worker
