#include "lib/placement/node_choice.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace ringrun {
namespace {

using Nodes = std::vector<int>;

class Choice {
 public:
  Choice(const Machine& machine, const std::vector<Nodes>& nodes_of_rank) : machine_(machine) {
    for (const NumaNode& node : machine.numa_nodes) {
      for (const Core& core : node.cores) cpus_[node.index] += core.cpus.size();
    }
    for (const Nodes& nodes : nodes_of_rank) {
      if (nodes.size() == 1) ++ranks_[nodes[0]];
    }
  }

  bool is_whole(const Nodes& nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](int node) { return cpus_.at(node) >= 2; });
  }

  /// Nodes with as many processors each, of which nobody has one yet.
  bool is_even(const Nodes& nodes) const {
    return std::all_of(nodes.begin(), nodes.end(), [&](int node) {
      const auto used = ranks_.find(node);
      return cpus_.at(node) == cpus_.at(nodes[0]) && (used == ranks_.end() || used->second == 0);
    });
  }

  /// Neighbours together: as many nodes for each rank.
  std::vector<Nodes> deal(Nodes nodes, std::size_t ranks) {
    std::stable_sort(nodes.begin(), nodes.end(), [&](int a, int b) { return package_of(a) < package_of(b); });
    const std::size_t each = nodes.size() / ranks;
    std::vector<Nodes> result(ranks);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      result[i / each].push_back(nodes[i]);
      ++ranks_[nodes[i]];
    }
    for (Nodes& own : result) std::sort(own.begin(), own.end());
    return result;
  }

  /// Nobody has more than twice what another one has.
  bool is_fair(const std::vector<Nodes>& chosen) const {
    double least = 0;
    double most = 0;
    for (const Nodes& nodes : chosen) {
      double share = 0;
      for (const int node : nodes) share += static_cast<double>(cpus_.at(node)) / static_cast<double>(ranks_.at(node));
      least = least == 0 ? share : std::min(least, share);
      most = std::max(most, share);
    }
    return most <= 2 * least;
  }

  /// The nodes of each of so many ranks that may have all of these.
  std::vector<Nodes> choose(const Nodes& nodes, std::size_t ranks) {
    std::vector<int> chosen;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      const int best = *std::max_element(nodes.begin(), nodes.end(), [&](int a, int b) { return is_worth_less(a, b); });
      ++ranks_[best];
      chosen.push_back(best);
    }
    std::sort(chosen.begin(), chosen.end());
    std::vector<Nodes> result;
    for (const int node : chosen) result.push_back({node});
    return result;
  }

  /// Gives ranks those of these nodes, which they may have, that are nobody's.
  void give_away(const Nodes& nodes, std::vector<Nodes>& chosen) {
    for (const int node : nodes) {
      if (ranks_[node] == 0) give_away(node, chosen);
    }
  }

 private:
  int package_of(int index) const {
    const auto node = std::find_if(machine_.numa_nodes.begin(), machine_.numa_nodes.end(),
                                   [&](const NumaNode& item) { return item.index == index; });
    return node->package;
  }

  std::size_t ranks_of_package(int package) const {
    std::size_t sum = 0;
    for (const auto& [node, ranks] : ranks_) sum += package_of(node) == package ? ranks : 0;
    return sum;
  }

  /// For one more rank: what it would have there, else whether the package has fewer, else which comes first.
  bool is_worth_less(int a, int b) {
    const std::size_t left = cpus_[a] * (ranks_[b] + 1);
    const std::size_t right = cpus_[b] * (ranks_[a] + 1);
    if (left != right) return left < right;
    const std::size_t beside_a = ranks_of_package(package_of(a));
    const std::size_t beside_b = ranks_of_package(package_of(b));
    return beside_a != beside_b ? beside_a > beside_b : a > b;
  }

  void give_away(int node, std::vector<Nodes>& result) {
    const auto distance = [&](const Nodes& to) {
      int least = numa_distance(machine_, to[0], node);
      for (const int other : to) least = std::min(least, numa_distance(machine_, other, node));
      return least;
    };
    const auto has = [&](const Nodes& of) {
      std::size_t sum = 0;
      for (const int other : of) sum += cpus_[other];
      return sum;
    };
    Nodes& nearest = *std::min_element(result.begin(), result.end(), [&](const Nodes& a, const Nodes& b) {
      return std::pair(distance(a), has(a)) < std::pair(distance(b), has(b));
    });
    ++ranks_[node];
    nearest.push_back(node);
    std::sort(nearest.begin(), nearest.end());
  }

  const Machine& machine_;
  std::map<int, std::size_t> cpus_;
  /// Of each node those that have it.
  std::map<int, std::size_t> ranks_;
};

/// Ranks that have a node in common, and each another one beside it, have all of these together: cores are shared
/// evenly among ranks with the same nodes, or where one has all nodes of the other.
void join_entangled(std::vector<Nodes>& chosen) {
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Nodes both;
      std::set_union(chosen[i].begin(), chosen[i].end(), chosen[j].begin(), chosen[j].end(), std::back_inserter(both));
      const bool apart = both.size() == chosen[i].size() + chosen[j].size();
      const bool one_has_all = both.size() == std::max(chosen[i].size(), chosen[j].size());
      if (apart || one_has_all) continue;
      chosen[i] = chosen[j] = both;
      return join_entangled(chosen);
    }
  }
}

/// Ranks that may have the cores of the same nodes.
struct Group {
  Nodes nodes;
  std::vector<std::size_t> ranks;
  std::vector<Nodes> chosen;
};

}  // namespace

std::vector<Nodes> settle_on_nodes(const Machine& machine, std::vector<Nodes> nodes_of_rank) {
  Choice choice(machine, nodes_of_rank);
  std::map<Nodes, std::vector<std::size_t>> ranks_of;
  for (std::size_t rank = 0; rank < nodes_of_rank.size(); ++rank) {
    if (nodes_of_rank[rank].size() > 1 && choice.is_whole(nodes_of_rank[rank]))
      ranks_of[nodes_of_rank[rank]].push_back(rank);
  }
  std::vector<Group> groups;
  for (auto& [nodes, ranks] : ranks_of) groups.push_back({nodes, std::move(ranks), {}});
  // Those with the least choice first.
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Group& a, const Group& b) { return a.nodes.size() < b.nodes.size(); });
  for (Group& group : groups) {
    const std::size_t ranks = group.ranks.size();
    const bool dealt = group.nodes.size() % ranks == 0 && choice.is_even(group.nodes);
    group.chosen = dealt ? choice.deal(group.nodes, ranks) : choice.choose(group.nodes, ranks);
  }
  for (Group& group : groups) {
    choice.give_away(group.nodes, group.chosen);
    if (!choice.is_fair(group.chosen)) continue;
    join_entangled(group.chosen);
    for (std::size_t i = 0; i < group.ranks.size(); ++i) nodes_of_rank[group.ranks[i]] = group.chosen[i];
  }
  return nodes_of_rank;
}

}  // namespace ringrun
