#include "lib/placement/cpu_shares.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace ringrun {
namespace {

constexpr std::size_t kLeast = 2;

using Nodes = std::set<int>;

/// What is given away undivided: a core or a hardware thread.
struct Unit {
  int node = 0;
  std::vector<int> cpus;
  bool taken = false;
  std::size_t users = 0;
};

/// Ranks that may have the cores of exactly these nodes.
struct Claim {
  Nodes nodes;
  std::vector<std::size_t> ranks;
};

using Shares = std::map<std::size_t, std::vector<int>>;

bool includes(const Nodes& all, const Nodes& part) {
  return std::includes(all.begin(), all.end(), part.begin(), part.end());
}

Nodes home_of(std::size_t rank, const std::vector<std::vector<int>>& homes) {
  return rank < homes.size() ? Nodes(homes[rank].begin(), homes[rank].end()) : Nodes();
}

std::vector<Claim> claims_of(const std::vector<std::vector<int>>& nodes_of_rank,
                             const std::vector<std::vector<int>>& homes) {
  std::map<Nodes, std::vector<std::size_t>> ranks;
  for (std::size_t rank = 0; rank < nodes_of_rank.size(); ++rank) {
    ranks[Nodes(nodes_of_rank[rank].begin(), nodes_of_rank[rank].end())].push_back(rank);
  }
  for (auto& [nodes, members] : ranks) {
    std::stable_sort(members.begin(), members.end(),
                     [&](std::size_t a, std::size_t b) { return home_of(a, homes) < home_of(b, homes); });
  }
  std::vector<Claim> claims;
  for (auto& [nodes, members] : ranks) claims.push_back({nodes, std::move(members)});
  // Those with the least choice first.
  std::stable_sort(claims.begin(), claims.end(),
                   [](const Claim& a, const Claim& b) { return a.nodes.size() < b.nodes.size(); });
  return claims;
}

bool overlap(const Nodes& a, const Nodes& b) {
  return std::any_of(a.begin(), a.end(), [&](int node) { return b.count(node) != 0; });
}

/// Claims that have to do with each other, through others if need be.
std::vector<std::vector<Claim>> rivals(std::vector<Claim> claims) {
  std::vector<std::vector<Claim>> groups;
  for (Claim& claim : claims) {
    std::vector<Claim> joined;
    std::vector<std::vector<Claim>> others;
    for (std::vector<Claim>& group : groups) {
      const bool rival = std::any_of(group.begin(), group.end(),
                                     [&](const Claim& other) { return overlap(other.nodes, claim.nodes); });
      if (rival) {
        joined.insert(joined.end(), group.begin(), group.end());
      } else {
        others.push_back(std::move(group));
      }
    }
    joined.push_back(std::move(claim));
    others.push_back(std::move(joined));
    groups = std::move(others);
  }
  return groups;
}

std::vector<Unit> units_of(const std::vector<NumaNode>& nodes, bool whole_cores) {
  std::vector<Unit> units;
  for (const NumaNode& node : nodes) {
    for (const Core& core : node.cores) {
      if (whole_cores) {
        units.push_back({node.index, core.cpus});
      } else {
        for (const int cpu : core.cpus) units.push_back({node.index, {cpu}});
      }
    }
  }
  return units;
}

std::vector<Unit*> free_units(std::vector<Unit>& units, const Nodes& nodes) {
  std::vector<Unit*> free;
  for (Unit& unit : units) {
    if (!unit.taken && nodes.count(unit.node) != 0) free.push_back(&unit);
  }
  return free;
}

std::size_t weight(const std::vector<Unit*>& units) {
  std::size_t sum = 0;
  for (const Unit* unit : units) sum += unit->cpus.size();
  return sum;
}

/// As many from the front as come nearest to `cpus`.
std::vector<Unit*> first_units(std::vector<Unit*> units, double cpus) {
  double sum = 0;
  std::size_t count = 0;
  for (; count < units.size(); ++count) {
    const auto size = static_cast<double>(units[count]->cpus.size());
    if (sum + size / 2 > cpus) break;
    sum += size;
  }
  units.resize(count);
  return units;
}

/// Each rank an equal stretch.
void divide(const std::vector<Unit*>& units, const std::vector<std::size_t>& ranks, Shares& shares) {
  const std::size_t all = weight(units);
  std::size_t sum = 0;
  for (Unit* unit : units) {
    sum += unit->cpus.size();
    const std::size_t which = (sum * ranks.size() + all - 1) / all - 1;
    std::vector<int>& cpus = shares[ranks[which]];
    cpus.insert(cpus.end(), unit->cpus.begin(), unit->cpus.end());
    unit->taken = true;
  }
}

/// What each rank gets where no unit is given twice. Where the nodes of some allow them the least, these get that much
/// first, and the others share what is left.
Shares disjoint_shares(std::vector<Claim> claims, std::vector<Unit> units) {
  Shares shares;
  while (!claims.empty()) {
    std::size_t tightest = 0;
    double quota = 0;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      std::size_t ranks = 0;
      for (const Claim& other : claims) {
        if (includes(claims[i].nodes, other.nodes)) ranks += other.ranks.size();
      }
      const double each = static_cast<double>(weight(free_units(units, claims[i].nodes))) / static_cast<double>(ranks);
      if (i != 0 && each >= quota) continue;
      tightest = i;
      quota = each;
    }
    const Nodes nodes = claims[tightest].nodes;
    std::vector<Claim> others;
    for (Claim& claim : claims) {
      if (!includes(nodes, claim.nodes)) {
        others.push_back(std::move(claim));
        continue;
      }
      std::vector<Unit*> free = free_units(units, claim.nodes);
      if (claim.nodes != nodes) free = first_units(std::move(free), quota * static_cast<double>(claim.ranks.size()));
      divide(free, claim.ranks, shares);
    }
    claims = std::move(others);
  }
  return shares;
}

bool is_enough(const Shares& shares, const Claim& claim) {
  return std::all_of(claim.ranks.begin(), claim.ranks.end(), [&](std::size_t rank) {
    const auto share = shares.find(rank);
    return share != shares.end() && share->second.size() >= kLeast;
  });
}

/// The ranks that use each of these units' processors, summed up.
std::size_t uses(const std::vector<Unit*>& units) {
  std::size_t sum = 0;
  for (const Unit* unit : units) sum += unit->users * unit->cpus.size();
  return sum;
}

std::size_t away(const std::vector<Unit*>& units, const Nodes& home) {
  std::size_t sum = 0;
  for (const Unit* unit : units) sum += home.count(unit->node) == 0 ? unit->cpus.size() : 0;
  return sum;
}

/// The cores whose processors the fewest others use, for a rank that shares them; of these most at home.
std::vector<Unit*> least_used(const std::vector<Unit*>& cores, const Nodes& home) {
  std::vector<Unit*> best;
  for (std::size_t first = 0; first < cores.size(); ++first) {
    std::vector<Unit*> stretch;
    for (std::size_t i = 0; i < cores.size() && weight(stretch) < kLeast; ++i) {
      stretch.push_back(cores[(first + i) % cores.size()]);
    }
    const std::size_t new_uses = uses(stretch) * weight(best);
    const std::size_t old_uses = uses(best) * weight(stretch);
    const bool nearer = new_uses == old_uses && away(stretch, home) * weight(best) < away(best, home) * weight(stretch);
    if (best.empty() || new_uses < old_uses || nearer) best = std::move(stretch);
  }
  return best;
}

/// Gives the ranks of claims whose nodes have too little for all of them two processors each, shared with others.
void share_the_scarce(const std::vector<Claim>& claims, std::vector<Unit> cores,
                      const std::vector<std::vector<int>>& homes, Shares& shares) {
  std::vector<const Claim*> scarce;
  for (const Claim& claim : claims) {
    if (is_enough(shares, claim)) continue;
    scarce.push_back(&claim);
    for (const std::size_t rank : claim.ranks) shares.erase(rank);
  }
  for (const auto& [rank, cpus] : shares) {
    for (Unit& core : cores) {
      if (std::find(cpus.begin(), cpus.end(), core.cpus.front()) != cpus.end()) ++core.users;
    }
  }
  for (const Claim* claim : scarce) {
    for (const std::size_t rank : claim->ranks) {
      for (Unit* core : least_used(free_units(cores, claim->nodes), home_of(rank, homes))) {
        ++core->users;
        shares[rank].insert(shares[rank].end(), core->cpus.begin(), core->cpus.end());
      }
    }
  }
}

Shares shares_of(const std::vector<Claim>& claims, const std::vector<NumaNode>& nodes,
                 const std::vector<std::vector<int>>& homes) {
  const auto enough = [&](const Shares& shares) {
    return std::all_of(claims.begin(), claims.end(), [&](const Claim& claim) { return is_enough(shares, claim); });
  };
  Shares by_core = disjoint_shares(claims, units_of(nodes, true));
  if (enough(by_core)) return by_core;
  Shares by_thread = disjoint_shares(claims, units_of(nodes, false));
  if (enough(by_thread)) return by_thread;
  share_the_scarce(claims, units_of(nodes, true), homes, by_core);
  return by_core;
}

}  // namespace

std::vector<std::vector<int>> share_cpus(const std::vector<NumaNode>& nodes,
                                         const std::vector<std::vector<int>>& nodes_of_rank,
                                         const std::vector<std::vector<int>>& homes) {
  std::vector<std::vector<int>> cpus(nodes_of_rank.size());
  for (const std::vector<Claim>& claims : rivals(claims_of(nodes_of_rank, homes))) {
    for (auto& [rank, share] : shares_of(claims, nodes, homes)) {
      std::sort(share.begin(), share.end());
      cpus[rank] = std::move(share);
    }
  }
  return cpus;
}

}  // namespace ringrun
