#include "lib/placement/placement.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "lib/error.hpp"
#include "lib/placement/cpu_shares.hpp"
#include "lib/placement/near_cards.hpp"
#include "lib/placement/node_choice.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

/// The machine with those of its processors that may be used.
Machine within(Machine machine, const std::optional<std::vector<int>>& cpu_set) {
  if (!cpu_set) return machine;
  if (cpu_set->empty()) throw UserError("no CPU is named to bind to", "name some, for example 0-3,8");
  const std::set<int> allowed(cpu_set->begin(), cpu_set->end());
  for (NumaNode& node : machine.numa_nodes) {
    for (Core& core : node.cores) std::erase_if(core.cpus, [&](int cpu) { return allowed.count(cpu) == 0; });
    std::erase_if(node.cores, [](const Core& core) { return core.cpus.empty(); });
  }
  if (core_count(machine) == 0) {
    throw UserError("none of the CPUs " + format_cpu_list(*cpu_set) + " may be used here",
                    "taskset -cp $$ lists those that may");
  }
  return machine;
}

/// What of the set of CPUs is left out.
std::string note_on_set(const Machine& machine, const PlacementPolicy& policy) {
  if (!policy.cpu_set) return "";
  std::set<int> left(policy.cpu_set->begin(), policy.cpu_set->end());
  for (const NumaNode& node : machine.numa_nodes) {
    for (const Core& core : node.cores) {
      for (const int cpu : core.cpus) left.erase(cpu);
    }
  }
  if (left.empty()) return "";
  return "of the CPUs that were asked for, " + format_cpu_list({left.begin(), left.end()}) + " may not be used here";
}

std::size_t cpu_count(const Machine& machine, const std::vector<int>& nodes) {
  std::size_t count = 0;
  for (const NumaNode& node : machine.numa_nodes) {
    if (std::find(nodes.begin(), nodes.end(), node.index) == nodes.end()) continue;
    for (const Core& core : node.cores) count += core.cpus.size();
  }
  return count;
}

/// Of `from`, those that are nearest to some node of `to`.
std::vector<int> nearest_nodes(const Machine& machine, const std::vector<int>& from, const std::vector<int>& to) {
  std::vector<int> nearest;
  int least = std::numeric_limits<int>::max();
  for (const int node : from) {
    int distance = std::numeric_limits<int>::max();
    for (const int other : to) distance = std::min(distance, numa_distance(machine, other, node));
    if (distance > least) continue;
    if (distance < least) nearest.clear();
    least = distance;
    nearest.push_back(node);
  }
  return nearest;
}

/// The nodes whose cores a rank may have.
std::vector<int> nodes_for(const Machine& machine, const CardPlace* gpu) {
  std::vector<int> with_cores;
  for (const NumaNode& node : machine.numa_nodes) {
    if (!node.cores.empty()) with_cores.push_back(node.index);
  }
  if (gpu == nullptr || gpu->numa_nodes.empty()) return with_cores;
  constexpr std::size_t kLeast = 2;
  std::vector<int> nodes;
  for (const int node : with_cores) {
    if (std::find(gpu->numa_nodes.begin(), gpu->numa_nodes.end(), node) != gpu->numa_nodes.end()) nodes.push_back(node);
  }
  while (cpu_count(machine, nodes) < kLeast && nodes.size() < with_cores.size()) {
    std::vector<int> others;
    std::set_difference(with_cores.begin(), with_cores.end(), nodes.begin(), nodes.end(), std::back_inserter(others));
    const std::vector<int> next = nearest_nodes(machine, others, gpu->numa_nodes);
    nodes.insert(nodes.end(), next.begin(), next.end());
    std::sort(nodes.begin(), nodes.end());
  }
  return nodes;
}

std::vector<int> nodes_of(const Machine& machine, const std::vector<int>& cpus) {
  const std::set<int> wanted(cpus.begin(), cpus.end());
  std::vector<int> nodes;
  for (const NumaNode& node : machine.numa_nodes) {
    const bool has = std::any_of(node.cores.begin(), node.cores.end(), [&](const Core& core) {
      return std::any_of(core.cpus.begin(), core.cpus.end(), [&](int cpu) { return wanted.count(cpu) != 0; });
    });
    if (has) nodes.push_back(node.index);
  }
  return nodes;
}

/// Of these nodes those with memory, else the nearest that have some.
std::vector<int> memory_of(const Machine& machine, const std::vector<int>& nodes) {
  std::vector<int> with_memory;
  for (const NumaNode& node : machine.numa_nodes) {
    if (node.memory) with_memory.push_back(node.index);
  }
  std::vector<int> own;
  std::set_intersection(with_memory.begin(), with_memory.end(), nodes.begin(), nodes.end(), std::back_inserter(own));
  return own.empty() ? nearest_nodes(machine, with_memory, nodes) : own;
}

std::optional<int> only(const std::vector<int>& nodes) {
  return nodes.size() == 1 && nodes[0] >= 0 ? std::optional(nodes[0]) : std::nullopt;
}

void bind_ranks(const Machine& machine, const std::vector<const CardPlace*>& places,
                std::vector<RankPlacement>& ranks) {
  std::vector<std::vector<int>> nodes_of_rank;
  std::vector<std::vector<int>> homes;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    homes.push_back(places[rank] == nullptr ? std::vector<int>() : places[rank]->numa_nodes);
    // One without a GPU beside others that have some is nobody's to bind.
    nodes_of_rank.push_back(ranks[rank].gpu < 0 ? std::vector<int>() : nodes_for(machine, places[rank]));
  }
  std::vector<std::vector<int>> shares =
      share_cpus(machine.numa_nodes, settle_on_nodes(machine, std::move(nodes_of_rank)), homes);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (ranks[rank].gpu < 0) continue;
    ranks[rank].cpus = std::move(shares[rank]);
    const std::vector<int> nodes = nodes_of(machine, ranks[rank].cpus);
    ranks[rank].numa = only(nodes);
    ranks[rank].memory_nodes = memory_of(machine, nodes);
  }
}

/// Each rank may use the whole set.
void keep_within_set(const Machine& machine, const std::vector<int>& cpu_set, std::vector<RankPlacement>& ranks) {
  std::vector<int> cpus;
  for (const NumaNode& node : machine.numa_nodes) {
    for (const Core& core : node.cores) cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  const std::vector<int> nodes = nodes_of(machine, cpu_set);
  for (RankPlacement& rank : ranks) {
    rank.cpus = cpus;
    rank.numa = only(nodes);
    rank.memory_nodes = memory_of(machine, nodes);
  }
}

/// Several nodes, and the GPU next to all of them; or one bridge for every card, as virtual machines have.
bool says_nothing(const Machine& machine, const CardPlace& place) {
  const std::size_t nodes = machine.numa_nodes.size();
  return place.numa_nodes.size() == nodes && (nodes > 1 || place.bridges.size() <= 1);
}

/// `places` are those of the ranks' GPUs. Nothing is to be said of a rank without one.
std::string note_on_places(const Machine& machine, const std::vector<const CardPlace*>& places,
                           const std::vector<RankPlacement>& ranks) {
  bool silent = false;
  for (std::size_t i = 0; i < places.size(); ++i)
    silent = silent || (ranks[i].gpu >= 0 && (places[i] == nullptr || says_nothing(machine, *places[i])));
  return silent ? "this machine does not show what its GPUs are next to: CPUs are shared out evenly" : "";
}

void check_counts(std::size_t ranks, const std::vector<Gpu>& gpus, const PlacementPolicy& policy) {
  if (gpus.empty() || policy.share_gpu) return;
  if (policy.gpu_of_rank.empty()) {
    if (ranks > gpus.size()) throw too_few_gpus(ranks, gpus.size());
    return;
  }
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    const auto& of = policy.gpu_of_rank;
    const auto users = std::count(of.begin(), of.end(), static_cast<int>(gpu));
    if (users < 2) continue;
    throw UserError(std::to_string(users) + " ranks would have GPU " + std::to_string(gpus[gpu].index) +
                        " by the CUDA_VISIBLE_DEVICES of their programs",
                    "give each program GPUs of its own, as many as it has ranks there, or let ranks share GPUs: "
                    "--share-gpu");
  }
}

int gpu_of(std::size_t rank, std::size_t gpus, const PlacementPolicy& policy) {
  if (!policy.gpu_of_rank.empty()) return policy.gpu_of_rank[rank];
  return gpus == 0 ? -1 : static_cast<int>(rank % gpus);
}

}  // namespace

UserError too_few_gpus(std::size_t ranks, std::size_t gpus) {
  const std::string count = std::to_string(gpus);
  return UserError(std::to_string(ranks) + " ranks want a GPU each, and there " + (gpus == 1 ? "is 1" : "are " + count),
                   "start at most " + count + ", or let ranks share GPUs: --share-gpu");
}

HostPlacement resolve_placement(const Machine& whole, const std::vector<Gpu>& gpus, int local_size,
                                const PlacementPolicy& policy) {
  HostPlacement placement;
  placement.ranks.resize(static_cast<std::size_t>(std::max(local_size, 0)));
  check_counts(placement.ranks.size(), gpus, policy);
  const Machine machine = within(whole, policy.cpu_set);
  std::vector<const CardPlace*> places;
  for (std::size_t i = 0; i < placement.ranks.size(); ++i) {
    RankPlacement& rank = placement.ranks[i];
    const CardPlace* place = nullptr;
    rank.gpu = gpu_of(i, gpus.size(), policy);
    if (rank.gpu >= 0) {
      const Gpu& gpu = gpus[static_cast<std::size_t>(rank.gpu)];
      place = find_gpu_place(machine, gpu.bus_id);
      if (place != nullptr) rank.numa = only(place->numa_nodes);
      if (policy.own_gpu_only) rank.visible_devices = visible_device(gpu);
    }
    places.push_back(place);
    // Cards are chosen for a GPU. Where the host has none, its ranks are told those that reach the peers.
    if (rank.gpu < 0 && !gpus.empty()) continue;
    rank.nics = nearest_cards(machine, place, false, policy.nics);
    rank.hcas = nearest_cards(machine, place, true, policy.hcas);
  }
  if (policy.bind) placement.note = note_on_set(machine, policy);
  if (gpus.empty() && policy.bind && policy.cpu_set) keep_within_set(machine, *policy.cpu_set, placement.ranks);
  if (gpus.empty() || places.empty()) return placement;
  const std::string places_note = note_on_places(machine, places, placement.ranks);
  if (!placement.note.empty() && !places_note.empty()) placement.note += "; ";
  placement.note += places_note;
  if (policy.bind) bind_ranks(machine, places, placement.ranks);
  return placement;
}

}  // namespace ringrun
