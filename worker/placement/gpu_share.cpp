#include "worker/placement/gpu_share.hpp"

#include <set>

namespace ringrun::worker {

std::vector<std::string> gpus_taken(const std::vector<Gpu>& visible, int local_rank, const Options& options) {
  const auto wanted = static_cast<std::size_t>(options.ranks_of_process());
  std::size_t first = visible.size() == wanted ? 0 : static_cast<std::size_t>(local_rank) * wanted;
  if (options.first_device) first = static_cast<std::size_t>(*options.first_device);
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < wanted; ++i) taken.push_back(visible[(first + i) % visible.size()].bus_id);
  return taken;
}

ProcessPlacement place_process(const Machine& machine, const std::vector<std::vector<std::string>>& gpus_of_process,
                               std::size_t own) {
  std::vector<Gpu> gpus;
  std::size_t first = 0;
  for (std::size_t process = 0; process < gpus_of_process.size(); ++process) {
    if (process == own) first = gpus.size();
    for (const std::string& bus_id : gpus_of_process[process]) gpus.emplace_back().bus_id = bus_id;
  }
  const HostPlacement host = resolve_placement(machine, gpus, static_cast<int>(gpus.size()), {});
  std::set<int> cpus;
  std::set<int> memory;
  for (std::size_t rank = first; rank < first + gpus_of_process.at(own).size(); ++rank) {
    const RankPlacement& placement = host.ranks[rank];
    cpus.insert(placement.cpus.begin(), placement.cpus.end());
    memory.insert(placement.memory_nodes.begin(), placement.memory_nodes.end());
  }
  // On a single node it makes no difference.
  return {{cpus.begin(), cpus.end()}, {memory.begin(), memory.end()}, machine.numa_nodes.size() > 1 ? host.note : ""};
}

}  // namespace ringrun::worker
