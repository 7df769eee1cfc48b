#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "lib/gpu/gpu.hpp"
#include "lib/placement/placement.hpp"
#include "lib/topology/core_siblings.hpp"
#include "lib/topology/cpu_list.hpp"
#include "lib/topology/hwloc_reader.hpp"
#include "tests/unit/drawn_machine.hpp"

namespace ringrun {
namespace {

std::string cores_of(const NumaNode& node) {
  std::string text;
  for (const Core& core : node.cores) text += "[" + format_cpu_list(core.cpus) + "]";
  return text;
}

/// "node 0 of package 0: [0,4][1,5]" a line.
std::string nodes_of(const Machine& machine) {
  std::string text = "\n";
  for (const NumaNode& node : machine.numa_nodes) {
    text += "node " + std::to_string(node.index) + " of package " + std::to_string(node.package) + ": " +
            cores_of(node) + (node.memory ? "" : " no memory") + "\n";
  }
  return text;
}

const NetworkCard& card(const Machine& machine, const std::string& name) {
  for (const NetworkCard& found : machine.cards) {
    if (found.name == name) return found;
  }
  throw std::out_of_range(name);
}

TEST(MachineReader, FindsPackagesNodesAndCores) {
  EXPECT_EQ(nodes_of(read_machine_synthetic("package:2 numa:2 core:2 pu:2")), R"(
node 0 of package 0: [0,1][2,3]
node 1 of package 0: [4,5][6,7]
node 2 of package 1: [8,9][10,11]
node 3 of package 1: [12,13][14,15]
)");
}

TEST(MachineReader, TakesEveryProcessorForACoreWhereTheMachineNamesNone) {
  EXPECT_EQ(nodes_of(read_machine_synthetic("pu:3")), R"(
node 0 of package -1: [0][1][2]
)");
}

TEST(MachineReader, LeavesOutWhatTheCgroupForbidsButNotWhereCardsAre) {
  const Machine machine = drawn_machine(R"(
allowed cpus 4-6
allowed nodes 1
package 0
 node 0 cores 4x1
  bridge
   gpu 01:00.0
package 1
 node 1 cores 4x1
)");
  EXPECT_EQ(nodes_of(machine), R"(
node 0 of package 0:  no memory
node 1 of package 1: [4][5][6]
)");
  EXPECT_EQ(machine.gpus.at(0).place.numa_nodes, std::vector{0});
}

TEST(MachineReader, CountsMemoryWithoutProcessorsAsNoNode) {
  EXPECT_EQ(nodes_of(drawn_machine(R"(
hbm 252
package 0
 hbm 253
 node 0 cores 2x1
  hbm 4
 node 1 cores 2x1 0B
)")),
            R"(
node 0 of package 0: [0][1]
node 1 of package 0: [2][3] no memory
)");
}

TEST(MachineReader, TakesTheNodeOfAPackageForItsCoresAndNotOneOfTheWholeMachine) {
  EXPECT_EQ(nodes_of(drawn_machine(R"(
hbm 0
package 0
 node 1 cores 2x1
)")),
            R"(
node 1 of package 0: [0][1]
)");
}

TEST(MachineReader, KeepsANodeWhoseProcessorsAreAllSwitchedOffForTheCardsNextToIt) {
  const Machine machine = drawn_machine(R"(
offline cpus 0,1,3
distances 10 12 32 11 12 10 32 11 32 32 10 32 11 11 32 10
package 0
 node 0 cores 2x1
  hbm 7
  bridge
   gpu 01:00.0
 node 1 cores 1x1
package 1
 node 2 cores 2x1
)");
  EXPECT_EQ(nodes_of(machine), R"(
node 0 of package 0: 
node 1 of package 0: [2]
node 2 of package 1: [4]
)");
  EXPECT_EQ(machine.gpus.at(0).place.numa_nodes, std::vector{0});
  EXPECT_EQ(machine.numa_distances, (std::vector<std::vector<int>>{{10, 12, 32}, {12, 10, 32}, {32, 32, 10}}));
}

TEST(MachineReader, ReadsHowFarNodesAreApart) {
  const Machine machine = drawn_machine("distances 10 12 32 10\nnode 0 cores 1x1\nnode 2 cores 1x1\n");
  EXPECT_EQ(machine.numa_distances, (std::vector<std::vector<int>>{{10, 12}, {32, 10}}));
  EXPECT_LT(numa_distance(machine, 2, 2), numa_distance(machine, 0, 2));
  EXPECT_LT(numa_distance(machine, 0, 2), numa_distance(machine, 2, 0));
  const Machine silent = read_machine_synthetic("package:2 numa:2 core:1 pu:1");
  EXPECT_LT(numa_distance(silent, 1, 1), numa_distance(silent, 1, 0));
  EXPECT_LT(numa_distance(silent, 1, 0), numa_distance(silent, 1, 2));
  EXPECT_EQ(numa_distance(silent, 1, 2), numa_distance(silent, 0, 3));
}

TEST(MachineReader, OfNodesAsFarAwayTakesThoseOfThePackageForNearer) {
  Machine machine = read_machine_synthetic("package:2 numa:2 core:1 pu:1");
  machine.numa_distances = {{10, 20, 20, 20}, {20, 10, 20, 20}, {20, 20, 10, 20}, {20, 20, 20, 10}};
  EXPECT_LT(numa_distance(machine, 0, 1), numa_distance(machine, 0, 2));
  machine.numa_distances[0] = {10, 21, 20, 20};
  EXPECT_GT(numa_distance(machine, 0, 1), numa_distance(machine, 0, 2)) << "the machine says so";
}

TEST(MachineReader, FindsGpusAndCardsWithTheirBridges) {
  const Machine machine = drawn_machine(R"(
node 0 cores 2x1
 bridge
  bridge
   card 02:00.0 ib0 mlx5_0=4
   gpu 01:00.0
  bridge
   card 03:00.0 ib1 mlx5_1=1
interface eth0
)");
  ASSERT_EQ(machine.gpus.size(), 1u);
  const CardPlace& gpu = machine.gpus[0].place;
  EXPECT_EQ(gpu.bus_id, "0000:01:00.0");
  EXPECT_EQ(gpu.bridges.size(), 2u);
  EXPECT_EQ(card(machine, "mlx5_0").place.bridges, gpu.bridges);
  EXPECT_TRUE(card(machine, "mlx5_0").hca);
  EXPECT_EQ(card(machine, "mlx5_0").link, LinkState::up);
  EXPECT_EQ(card(machine, "ib1").link, LinkState::down) << "it is the same port";
  EXPECT_EQ(card(machine, "ib1").place.bridges.front(), gpu.bridges.front());
  EXPECT_NE(card(machine, "ib1").place.bridges.back(), gpu.bridges.back());
  EXPECT_EQ(card(machine, "eth0").place, (CardPlace{"", {0}, {}}));
  EXPECT_LT(card_distance(machine, gpu, card(machine, "ib0").place),
            card_distance(machine, gpu, card(machine, "ib1").place));
  EXPECT_LT(card_distance(machine, gpu, card(machine, "ib1").place),
            card_distance(machine, gpu, card(machine, "eth0").place));
}

TEST(MachineReader, CountsGpusByTheirDriversNamesWhereThereIsNoPciTree) {
  const Machine machine = drawn_machine("node 0 cores 2x1\ndriver cuda0\ndriver nvml0\ndriver cuda1\ndriver nvml1\n");
  const std::vector<Gpu> gpus = gpus_of(machine);
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[1].index, 1);
  EXPECT_EQ(gpus[1].bus_id, "");
}

TEST(MachineReader, ReadsThisMachineWithinTheThreadsMask) {
  std::thread([] {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
    int last = -1;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &mask)) last = cpu;
    }
    CPU_ZERO(&mask);
    CPU_SET(last, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
    const Machine machine = read_machine();
    ASSERT_EQ(core_count(machine), 1);
    for (const NumaNode& node : machine.numa_nodes) {
      for (const Core& core : node.cores) EXPECT_EQ(core.cpus, std::vector{last});
    }
  }).join();
}

TEST(MachineReader, ReadsThisMachineWithinProcessorsThatItIsTold) {
  const Machine all = read_machine();
  const int last = all.numa_nodes.back().cores.back().cpus.back();
  const Machine one = read_machine(std::vector{last});
  ASSERT_EQ(cpu_count(one), 1);
  EXPECT_EQ(one.numa_nodes.back().cores.back().cpus, std::vector{last});
  EXPECT_EQ(one.cards, all.cards);
}

TEST(MachineReader, FindsTheSameCoresWithoutReadingCards) {
  const Machine all = read_machine();
  const Machine bare = read_machine(std::nullopt, false);
  EXPECT_EQ(bare.numa_nodes, all.numa_nodes);
  EXPECT_EQ(bare.numa_distances, all.numa_distances);
  EXPECT_TRUE(bare.cards.empty());
}

/// A file of a /sys that hwloc is sent to.
void write_fact(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

TEST(MachineReader, FindsAGpuOfThisHostWhoseNodesProcessorsAreSwitchedOff) {
  namespace fs = std::filesystem;
  std::string root = (fs::temp_directory_path() / "switched_off.XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  const fs::path system = fs::path(root) / "sys/devices/system";
  for (const auto& [node, mask, cpus] : {std::tuple{"0", "3", "0-1"}, {"1", "0", ""}, {"2", "c", "2-3"}}) {
    const fs::path folder = system / "node" / (std::string("node") + node);
    write_fact(folder / "cpumap", mask);
    write_fact(folder / "cpulist", cpus);
    write_fact(folder / "meminfo", std::string("Node ") + node + " MemTotal: 1048576 kB");
  }
  write_fact(system / "node/online", "0-2");
  write_fact(system / "node/node0/distance", "10 40 40");
  write_fact(system / "node/node1/distance", "40 10 12");
  write_fact(system / "node/node2/distance", "40 12 10");
  write_fact(system / "cpu/possible", "0-5");
  write_fact(system / "cpu/online", "0-3");
  for (const std::string cpu : {"0", "1", "2", "3"}) {
    write_fact(system / ("cpu/cpu" + cpu) / "online", "1");
    write_fact(system / ("cpu/cpu" + cpu) / "topology/core_id", cpu);
    write_fact(system / ("cpu/cpu" + cpu) / "topology/physical_package_id", "0");
    write_fact(system / ("cpu/cpu" + cpu) / "topology/thread_siblings", std::to_string(1 << std::stoi(cpu)));
  }
  for (const char* cpu : {"cpu/cpu4", "cpu/cpu5"}) write_fact(system / cpu / "online", "0");
  const fs::path gpu = fs::path(root) / "sys/bus/pci/devices/0000:81:00.0";
  for (const auto& [name, value] : {std::pair{"class", "0x030200"},
                                    {"vendor", "0x10de"},
                                    {"device", "0x2330"},
                                    {"subsystem_vendor", "0"},
                                    {"subsystem_device", "0"},
                                    {"local_cpus", "0"},
                                    {"numa_node", "1"}}) {
    write_fact(gpu / name, value);
  }
  ASSERT_EQ(setenv("HWLOC_FSROOT", root.c_str(), 1), 0);
  const Machine machine = read_machine(std::vector<int>{0, 1, 2, 3});
  unsetenv("HWLOC_FSROOT");
  fs::remove_all(root);
  ASSERT_EQ(machine.gpus.size(), 1u);
  EXPECT_EQ(machine.gpus[0].place.numa_nodes, std::vector<int>{1});
  const RankPlacement rank = resolve_placement(machine, gpus_of(machine), 1, {}).ranks.at(0);
  EXPECT_EQ(rank.numa, 2) << "the nearest node that has some" << nodes_of(machine);
  EXPECT_EQ(format_cpu_list(rank.cpus), "2,3");
}

TEST(CoreCount, IsOfCoresWhoseThreadsAreAmongTheProcessors) {
  namespace fs = std::filesystem;
  std::string root = (fs::temp_directory_path() / "siblings.XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  for (const auto& [cpu, siblings] : {std::pair{"cpu0", "0,4"}, {"cpu4", "0,4"}, {"cpu1", "1,5"}}) {
    const fs::path folder = fs::path(root) / "sys/devices/system/cpu" / cpu / "topology";
    fs::create_directories(folder);
    std::ofstream(folder / "thread_siblings_list") << siblings << "\n";
  }
  EXPECT_EQ(core_count_of({0, 4}, root), 1);
  EXPECT_EQ(core_count_of({0, 1, 4}, root), 2);
  EXPECT_EQ(core_count_of({7, 8}, root), 2) << "nobody says";
  fs::remove_all(root);
}

TEST(BusId, IsWrittenAsTheKernelDoes) {
  EXPECT_EQ(normal_bus_id("00000000:4E:00.0"), "0000:4e:00.0");
  EXPECT_EQ(normal_bus_id("4e:00.0"), "0000:4e:00.0");
  EXPECT_EQ(normal_bus_id("00010000:4E:00.0"), "10000:4e:00.0");
  EXPECT_EQ(normal_bus_id("0035:03:00.0"), "0035:03:00.0");
}

TEST(BusId, IsOrderedByItsNumbers) {
  EXPECT_TRUE(is_lower_bus_id("2000:01:00.0", "10000:01:00.0"));
  EXPECT_FALSE(is_lower_bus_id("10000:01:00.0", "2000:01:00.0"));
  EXPECT_TRUE(is_lower_bus_id("0000:09:00.0", "0000:a0:00.0"));
  EXPECT_FALSE(is_lower_bus_id("0000:a0:00.0", "0000:a0:00.0"));
}

TEST(GpuPlace, IsFoundByAnySpellingOfTheBusId) {
  const Machine machine = drawn_machine("node 0 cores 1x1\n bridge\n  gpu 4e:00.0\n");
  EXPECT_NE(find_gpu_place(machine, "00000000:4E:00.0"), nullptr);
  EXPECT_EQ(find_gpu_place(machine, "0000:4f:00.0"), nullptr);
  EXPECT_EQ(find_gpu_place(machine, ""), nullptr);
}

}  // namespace
}  // namespace ringrun
