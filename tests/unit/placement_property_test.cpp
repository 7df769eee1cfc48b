#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "lib/placement/cpu_shares.hpp"
#include "tests/unit/placement_table.hpp"

namespace ringrun {
namespace {

/// Machines as no one builds them, the same ones in every run.
class RandomMachines {
 public:
  Machine next() {
    Machine machine;
    const int packages = number(1, 3);
    int index = 0;
    int cpu = 0;
    for (int package = 0; package < packages; ++package) {
      for (int node = number(1, 4); node > 0; --node) {
        machine.numa_nodes.push_back(random_node(index, package, cpu));
        index += number(1, 3);
      }
    }
    if (cpu == 0) machine.numa_nodes[0].cores.push_back({{cpu}});
    for (int gpu = number(1, 9); gpu > 0; --gpu) machine.gpus.push_back(random_gpu(machine));
    for (const char* name : {"eth0", "eth1", "ib0", "mlx5_0", "mlx5_1"}) {
      machine.cards.push_back(
          {name, name[0] == 'm', random_gpu(machine).place, LinkState(number(0, 2)), number(-1, 2)});
    }
    return machine;
  }

  int number(int least, int most) { return std::uniform_int_distribution<int>(least, most)(engine_); }

 private:
  NumaNode random_node(int index, int package, int& cpu) {
    NumaNode node{index, package, {}, number(0, 9) != 0};
    const int threads = number(1, 4);
    for (int core = number(0, 3) == 0 ? number(0, 2) : number(2, 12); core > 0; --core) {
      std::vector<int> cpus;
      for (int thread = number(0, 9) == 0 ? 1 : threads; thread > 0; --thread) cpus.push_back(cpu++);
      node.cores.push_back({cpus});
    }
    return node;
  }

  /// Next to one node, to all of a package, or to all that there are.
  MachineGpu random_gpu(const Machine& machine) {
    MachineGpu gpu;
    gpu.place.bus_id = "0000:" + std::to_string(++bus_) + ":00.0";
    const NumaNode& beside =
        machine.numa_nodes[static_cast<std::size_t>(number(0, static_cast<int>(machine.numa_nodes.size()) - 1))];
    const int kind = number(0, 5);
    for (const NumaNode& node : machine.numa_nodes) {
      const bool near = kind > 1 ? node.index == beside.index : kind == 1 ? node.package == beside.package : true;
      if (near) gpu.place.numa_nodes.push_back(node.index);
    }
    for (int bridge = number(0, 3); bridge > 0; --bridge) gpu.place.bridges.push_back(number(0, 3));
    return gpu;
  }

  std::mt19937 engine_{4711};
  int bus_ = 0;
};

std::set<int> cpus_of(const Machine& machine, const std::vector<int>* nodes = nullptr) {
  std::set<int> cpus;
  for (const NumaNode& node : machine.numa_nodes) {
    if (nodes != nullptr && std::find(nodes->begin(), nodes->end(), node.index) == nodes->end()) continue;
    for (const Core& core : node.cores) cpus.insert(core.cpus.begin(), core.cpus.end());
  }
  return cpus;
}

/// How many ranks have each processor.
std::map<int, int> users_of(const HostPlacement& placement) {
  std::map<int, int> users;
  for (const RankPlacement& rank : placement.ranks) {
    for (const int cpu : rank.cpus) ++users[cpu];
  }
  return users;
}

bool is_disjoint(const HostPlacement& placement) {
  const std::map<int, int> users = users_of(placement);
  return std::all_of(users.begin(), users.end(), [](const auto& item) { return item.second == 1; });
}

template <typename Check>
void for_many_machines(Check check) {
  RandomMachines machines;
  for (int i = 0; i < 2000; ++i) {
    const Machine machine = machines.next();
    const std::vector<Gpu> gpus = gpus_of(machine);
    const int ranks = machines.number(1, 2 * static_cast<int>(gpus.size()));
    PlacementPolicy policy;
    if (i % 4 == 0) {
      policy.cpu_set.emplace();
      for (const int cpu : cpus_of(machine)) {
        if (cpu == 0 || machines.number(0, 1) == 0) policy.cpu_set->push_back(cpu);
      }
    }
    const HostPlacement placement = resolve_placement(machine, gpus, ranks, policy);
    SCOPED_TRACE("machine " + std::to_string(i) + placement_table(gpus, placement));
    check(machine, gpus, policy, placement);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(PlacementOfAnyMachine, PlacesEveryRankWithinTheAllowedProcessors) {
  for_many_machines([](const Machine& machine, const std::vector<Gpu>& gpus, const PlacementPolicy& policy,
                       const HostPlacement& placement) {
    const std::set<int> all = cpus_of(machine);
    for (std::size_t i = 0; i < placement.ranks.size(); ++i) {
      const RankPlacement& rank = placement.ranks[i];
      EXPECT_EQ(rank.gpu, static_cast<int>(i % gpus.size()));
      EXPECT_FALSE(rank.cpus.empty());
      EXPECT_TRUE(std::is_sorted(rank.cpus.begin(), rank.cpus.end()));
      for (const int cpu : rank.cpus) {
        EXPECT_TRUE(all.count(cpu));
        EXPECT_TRUE(!policy.cpu_set || std::count(policy.cpu_set->begin(), policy.cpu_set->end(), cpu));
      }
      EXPECT_FALSE(rank.nics.empty());
      EXPECT_FALSE(rank.hcas.empty());
    }
  });
}

TEST(PlacementOfAnyMachine, LeavesNoRankWithOneProcessorWhereThereAreTwo) {
  for_many_machines([](const Machine& machine, const std::vector<Gpu>&, const PlacementPolicy& policy,
                       const HostPlacement& placement) {
    const std::size_t usable = policy.cpu_set ? policy.cpu_set->size() : cpus_of(machine).size();
    for (const RankPlacement& rank : placement.ranks) {
      EXPECT_EQ(std::set<int>(rank.cpus.begin(), rank.cpus.end()).size(), rank.cpus.size());
      EXPECT_GE(rank.cpus.size(), std::min<std::size_t>(2, usable));
    }
  });
}

TEST(PlacementOfAnyMachine, IsTheSameEveryTime) {
  for_many_machines([](const Machine& machine, const std::vector<Gpu>& gpus, const PlacementPolicy& policy,
                       const HostPlacement& placement) {
    EXPECT_EQ(resolve_placement(machine, gpus, static_cast<int>(placement.ranks.size()), policy), placement);
  });
}

TEST(PlacementOfAnyMachine, BindsMemoryOnlyToNodesThatHaveSome) {
  for_many_machines(
      [](const Machine& machine, const std::vector<Gpu>&, const PlacementPolicy&, const HostPlacement& placement) {
        const bool any = std::any_of(machine.numa_nodes.begin(), machine.numa_nodes.end(),
                                     [](const NumaNode& node) { return node.memory; });
        for (const RankPlacement& rank : placement.ranks) {
          EXPECT_EQ(!rank.memory_nodes.empty(), any);
          for (const NumaNode& node : machine.numa_nodes) {
            const bool bound = std::count(rank.memory_nodes.begin(), rank.memory_nodes.end(), node.index) != 0;
            EXPECT_TRUE(node.memory || !bound);
          }
        }
      });
}

TEST(PlacementOfAnyMachine, UsesCpusBesideTheGpuWhereThereAreTwo) {
  for_many_machines([](const Machine& machine, const std::vector<Gpu>& gpus, const PlacementPolicy& policy,
                       const HostPlacement& placement) {
    for (const RankPlacement& rank : placement.ranks) {
      const CardPlace* place = find_gpu_place(machine, gpus.at(static_cast<std::size_t>(rank.gpu)).bus_id);
      ASSERT_NE(place, nullptr);
      std::set<int> beside = cpus_of(machine, &place->numa_nodes);
      if (policy.cpu_set) {
        const std::set<int> asked(policy.cpu_set->begin(), policy.cpu_set->end());
        std::erase_if(beside, [&](int cpu) { return asked.count(cpu) == 0; });
      }
      if (beside.size() < 2) continue;
      for (const int cpu : rank.cpus) EXPECT_TRUE(beside.count(cpu)) << "CPU " << cpu;
    }
  });
}

/// Ranks next to single nodes, so that it is known what is possible.
TEST(CpuShares, AreDisjointExactlyWhereANodeHasTwoProcessorsForEachOfItsRanks) {
  RandomMachines machines;
  int disjoint = 0;
  for (int i = 0; i < 2000; ++i) {
    const Machine machine = machines.next();
    std::vector<std::vector<int>> nodes_of_rank;
    std::map<int, std::size_t> ranks_of_node;
    for (int rank = machines.number(1, 12); rank > 0; --rank) {
      const NumaNode& node = machine.numa_nodes[static_cast<std::size_t>(
          machines.number(0, static_cast<int>(machine.numa_nodes.size()) - 1))];
      if (node.cores.empty()) continue;
      nodes_of_rank.push_back({node.index});
      ++ranks_of_node[node.index];
    }
    bool possible = true;
    for (const auto& [index, ranks] : ranks_of_node) {
      const std::vector<int> node{index};
      possible = possible && (ranks == 1 || cpus_of(machine, &node).size() >= 2 * ranks);
    }
    HostPlacement placement;
    for (auto& cpus : share_cpus(machine.numa_nodes, nodes_of_rank)) {
      placement.ranks.emplace_back();
      placement.ranks.back().cpus = std::move(cpus);
    }
    EXPECT_EQ(is_disjoint(placement), possible) << "machine " << i << placement_table(machine, 1);
    disjoint += possible ? 1 : 0;
  }
  EXPECT_GT(disjoint, 200);
  EXPECT_LT(disjoint, 1800);
}

}  // namespace
}  // namespace ringrun
