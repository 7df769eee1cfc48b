#include "lib/placement/placement.hpp"

#include <algorithm>
#include <set>

namespace ringrun {
namespace {

/// Ranks that share the cores of the same memory nodes.
struct Group {
  std::set<int> numa_nodes;
  std::vector<std::size_t> ranks;
};

bool overlap(const std::set<int>& a, const std::set<int>& b) {
  return std::any_of(a.begin(), a.end(), [&](int node) { return b.count(node) != 0; });
}

// A GPU next to several nodes ties their ranks together: only then are the shares disjoint.
std::vector<Group> group_ranks(const std::vector<std::set<int>>& nodes_of_rank) {
  std::vector<Group> groups;
  for (std::size_t rank = 0; rank < nodes_of_rank.size(); ++rank) {
    Group joined{nodes_of_rank[rank], {rank}};
    std::vector<Group> others;
    for (Group& group : groups) {
      if (overlap(group.numa_nodes, joined.numa_nodes)) {
        joined.numa_nodes.insert(group.numa_nodes.begin(), group.numa_nodes.end());
        joined.ranks.insert(joined.ranks.end(), group.ranks.begin(), group.ranks.end());
      } else {
        others.push_back(std::move(group));
      }
    }
    std::sort(joined.ranks.begin(), joined.ranks.end());
    others.push_back(std::move(joined));
    groups = std::move(others);
  }
  return groups;
}

std::vector<Core> cores_of(const Machine& machine, const std::set<int>& numa_nodes) {
  std::vector<Core> cores;
  for (const NumaNode& node : machine.numa_nodes) {
    if (numa_nodes.count(node.index) != 0) cores.insert(cores.end(), node.cores.begin(), node.cores.end());
  }
  return cores;
}

// One share begins where the one before ends; it grows over its end only where it would hold fewer than two processors.
std::vector<int> share(const std::vector<Core>& cores, std::size_t which, std::size_t shares) {
  constexpr std::size_t kLeast = 2;
  const std::size_t first = which * cores.size() / shares;
  const std::size_t last = (which + 1) * cores.size() / shares;
  std::vector<int> cpus;
  for (std::size_t taken = 0; taken < cores.size(); ++taken) {
    if (first + taken >= last && cpus.size() >= kLeast) break;
    const Core& core = cores[(first + taken) % cores.size()];
    cpus.insert(cpus.end(), core.cpus.begin(), core.cpus.end());
  }
  std::sort(cpus.begin(), cpus.end());
  return cpus;
}

}  // namespace

std::vector<RankPlacement> resolve_placement(const Machine& machine, const std::vector<Gpu>& gpus, int local_size,
                                             const PlacementPolicy& policy) {
  std::vector<RankPlacement> ranks(static_cast<std::size_t>(std::max(local_size, 0)));
  if (gpus.empty()) return ranks;
  std::vector<std::set<int>> nodes_of_rank;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank].gpu = static_cast<int>(rank % gpus.size());
    const std::vector<int> near = numa_nodes_near(machine, gpus[rank % gpus.size()].bus_id);
    nodes_of_rank.emplace_back(near.begin(), near.end());
  }
  if (!policy.bind) return ranks;
  for (const Group& group : group_ranks(nodes_of_rank)) {
    const std::vector<Core> cores = cores_of(machine, group.numa_nodes);
    for (std::size_t i = 0; i < group.ranks.size(); ++i) {
      ranks[group.ranks[i]].cpus = share(cores, i, group.ranks.size());
    }
  }
  return ranks;
}

}  // namespace ringrun
