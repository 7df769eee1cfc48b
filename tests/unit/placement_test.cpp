#include "lib/placement/placement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "lib/error.hpp"
#include "lib/topology/cpu_list.hpp"
#include "lib/topology/hwloc_reader.hpp"

namespace ringrun {
namespace {

std::vector<Gpu> gpus_at(const std::vector<std::string>& bus_ids) {
  std::vector<Gpu> gpus;
  for (const std::string& bus_id : bus_ids) gpus.push_back({static_cast<int>(gpus.size()), bus_id, "", ""});
  return gpus;
}

/// Machines of other projects' collections, which lie beside the repository where they are at all.
std::optional<Machine> real_machine(const std::string& name) {
  const auto path = std::filesystem::path(RINGRUN_SOURCE_DIR) / "../shared/topologies" / name;
  if (!std::filesystem::exists(path)) return std::nullopt;
  return read_machine_xml(path.string());
}

#define REAL_MACHINE(machine, name)                                                             \
  const std::optional<Machine> machine##_found = real_machine(name);                            \
  if (!machine##_found) GTEST_SKIP() << "../shared/topologies/" name " is not on this machine"; \
  const Machine& machine = *machine##_found

/// The memory node that all of these CPUs belong to, -1 where they belong to several.
int numa_node_of(const Machine& machine, const std::vector<int>& cpus) {
  std::set<int> nodes;
  for (const NumaNode& node : machine.numa_nodes) {
    for (const Core& core : node.cores) {
      for (const int cpu : core.cpus) {
        if (std::find(cpus.begin(), cpus.end(), cpu) != cpus.end()) nodes.insert(node.index);
      }
    }
  }
  return nodes.size() == 1 ? *nodes.begin() : -1;
}

std::size_t distinct_cpus(const std::vector<RankPlacement>& ranks) {
  std::set<int> cpus;
  for (const RankPlacement& rank : ranks) cpus.insert(rank.cpus.begin(), rank.cpus.end());
  return cpus.size();
}

std::size_t all_cpus(const std::vector<RankPlacement>& ranks) {
  std::size_t count = 0;
  for (const RankPlacement& rank : ranks) count += rank.cpus.size();
  return count;
}

Machine synthetic(const std::string& text, const std::vector<PciDevice>& devices = {}) {
  Machine machine = read_machine_synthetic(text);
  machine.devices = devices;
  return machine;
}

std::vector<std::string> cpu_lists(const std::vector<RankPlacement>& ranks) {
  std::vector<std::string> lists;
  for (const RankPlacement& rank : ranks) lists.push_back(format_cpu_list(rank.cpus));
  return lists;
}

using Lists = std::vector<std::string>;

TEST(Placement, RanksShareTheCoresNextToTheirGpusInWholeCores) {
  const Machine machine = synthetic(
      "numa:2 core:4 pu:2", {{"0000:01:00.0", false, {0}}, {"0000:02:00.0", false, {0}}, {"0000:81:00.0", false, {1}}});
  const auto ranks = resolve_placement(machine, gpus_at({"0000:01:00.0", "0000:02:00.0", "0000:81:00.0"}), 3, {});
  EXPECT_EQ(cpu_lists(ranks), (Lists{"0-3", "4-7", "8-15"}));
  EXPECT_EQ(ranks[2].gpu, 2);
}

TEST(Placement, AnUnevenNumberOfCoresIsSharedWithoutOverlap) {
  const Machine machine = synthetic("numa:1 core:16 pu:1");
  const auto ranks = resolve_placement(machine, gpus_at({"0000:01:00.0", "0000:02:00.0", "0000:03:00.0"}), 3, {});
  EXPECT_EQ(cpu_lists(ranks), (Lists{"0-4", "5-9", "10-15"}));
}

TEST(Placement, NoRankHasFewerThanTwoCpusWhereThereAreTwo) {
  const Machine machine = synthetic("numa:1 core:4 pu:1");
  std::vector<std::string> bus_ids;
  for (int i = 0; i < 8; ++i) bus_ids.push_back("0000:0" + std::to_string(i) + ":00.0");
  for (const RankPlacement& rank : resolve_placement(machine, gpus_at(bus_ids), 8, {})) EXPECT_EQ(rank.cpus.size(), 2u);
  const Machine lonely = synthetic("numa:1 core:1 pu:1");
  EXPECT_EQ(cpu_lists(resolve_placement(lonely, gpus_at({"0000:01:00.0"}), 1, {})), Lists{"0"});
}

TEST(Placement, AGpuWithoutAPlaceUsesTheWholeMachine) {
  const Machine machine = synthetic("numa:2 core:2 pu:1");
  EXPECT_EQ(cpu_lists(resolve_placement(machine, gpus_at({"0000:01:00.0", "0000:02:00.0"}), 2, {})),
            (Lists{"0,1", "2,3"}));
}

TEST(Placement, AGpuBetweenTwoNodesTiesTheirRanksTogether) {
  const Machine machine =
      synthetic("numa:2 core:4 pu:1", {{"0000:01:00.0", false, {0}}, {"0000:02:00.0", false, {0, 1}}});
  EXPECT_EQ(cpu_lists(resolve_placement(machine, gpus_at({"0000:01:00.0", "0000:02:00.0"}), 2, {})),
            (Lists{"0-3", "4-7"}));
}

TEST(Placement, MoreRanksThanGpusShareThem) {
  const Machine machine = synthetic("numa:1 core:8 pu:1");
  const auto ranks = resolve_placement(machine, gpus_at({"0000:01:00.0", "0000:02:00.0"}), 4, {});
  EXPECT_EQ(ranks[2].gpu, 0);
  EXPECT_EQ(ranks[3].gpu, 1);
  EXPECT_EQ(cpu_lists(ranks), (Lists{"0,1", "2,3", "4,5", "6,7"}));
}

TEST(Placement, WithoutGpusOrWithAnotherBinderNothingIsBound) {
  const Machine machine = synthetic("numa:1 core:8 pu:1");
  EXPECT_EQ(cpu_lists(resolve_placement(machine, {}, 2, {})), (Lists{"", ""}));
  const auto ranks = resolve_placement(machine, gpus_at({"0000:01:00.0"}), 1, {false});
  EXPECT_EQ(ranks[0].gpu, 0);
  EXPECT_TRUE(ranks[0].cpus.empty());
}

TEST(Placement, FourH100sEachUseTheirOwnOfEightNodes) {
  REAL_MACHINE(machine, "ipa20.xml");
  const auto ranks =
      resolve_placement(machine, gpus_at({"0000:4e:00.0", "0000:5f:00.0", "0000:cb:00.0", "0000:db:00.0"}), 4, {});
  std::vector<int> nodes;
  for (const RankPlacement& rank : ranks) nodes.push_back(numa_node_of(machine, rank.cpus));
  EXPECT_EQ(nodes, (std::vector{3, 1, 7, 5}));
  EXPECT_EQ(ranks[0].cpus.size(), 28u) << "fourteen cores of two threads";
}

TEST(Placement, FourV100sOfAPower9ShareTwoPackages) {
  REAL_MACHINE(machine, "coral-lassen.xml");
  const auto ranks =
      resolve_placement(machine, gpus_at({"0004:04:00.0", "0004:05:00.0", "0035:03:00.0", "0035:04:00.0"}), 4, {});
  std::vector<int> nodes;
  for (const RankPlacement& rank : ranks) nodes.push_back(numa_node_of(machine, rank.cpus));
  EXPECT_EQ(nodes, (std::vector{0, 0, 8, 8}));
  EXPECT_EQ(distinct_cpus(ranks), all_cpus(ranks));
  EXPECT_EQ(all_cpus(ranks), 160u);
}

TEST(Placement, SixteenGpusOnFourCoresShareThem) {
  REAL_MACHINE(machine, "nvidiaDGX2.xml");
  std::vector<std::string> bus_ids;
  for (const PciDevice& device : machine.devices) {
    if (!device.network && device.numa_nodes.size() == 1) bus_ids.push_back(device.bus_id);
  }
  ASSERT_GE(bus_ids.size(), 16u);
  for (const RankPlacement& rank : resolve_placement(machine, gpus_at(bus_ids), 16, {}))
    EXPECT_GE(rank.cpus.size(), 2u);
}

TEST(Placement, GpusOfAVirtualMachineShareItsOneNode) {
  REAL_MACHINE(machine, "h200x2-vm.xml");
  const auto ranks = resolve_placement(machine, gpus_at({"0000:00:06.0", "0000:00:07.0"}), 2, {});
  EXPECT_EQ(ranks[0].cpus.size(), 16u);
  EXPECT_EQ(distinct_cpus(ranks), 32u);
}

TEST(CpuList, IsReadAndWritten) {
  EXPECT_EQ(format_cpu_list({8, 0, 1, 2, 10, 11}), "0-2,8,10,11");
  EXPECT_EQ(parse_cpu_list("0-2,8"), (std::vector{0, 1, 2, 8}));
  EXPECT_TRUE(parse_cpu_list("").empty());
  for (const char* text : {",", "1,", "2-1", "x", "-1", "1--2"}) EXPECT_THROW(parse_cpu_list(text), UserError) << text;
}

TEST(BusId, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(normal_bus_id("00000000:4E:00.0"), "0000:4e:00.0");
  EXPECT_EQ(normal_bus_id("4e:00.0"), "0000:4e:00.0");
  EXPECT_EQ(normal_bus_id("00010000:4E:00.0"), "10000:4e:00.0");
  EXPECT_EQ(normal_bus_id("0035:03:00.0"), "0035:03:00.0");
}

}  // namespace
}  // namespace ringrun
