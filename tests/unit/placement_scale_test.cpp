#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>
#include <set>

#include "lib/placement/alike_hosts.hpp"
#include "lib/placement/job_plan.hpp"
#include "lib/topology/cpu_list.hpp"
#include "tests/support/not_sanitized.hpp"
#include "tests/unit/drawn_machine.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

/// Two packages with four GPUs each, and a card beside every GPU.
Machine eight_gpus(const std::string& cores) {
  std::string drawing;
  for (int package = 0; package < 2; ++package) {
    const std::string number = std::to_string(package);
    drawing += "package " + number + "\n node " + number + " cores " + cores + "\n";
    for (int gpu = 4 * package; gpu < 4 * package + 4; ++gpu) {
      const std::string bus = std::to_string(gpu + 1);
      drawing += "  bridge\n   bridge\n    bridge\n     gpu " + bus + "0:00.0\n    bridge\n     card " + bus +
                 "1:00.0 ib" + bus + " mlx5_" + bus + "=4\n";
    }
  }
  return drawn_machine(drawing);
}

/// Every GPU has a serial number of its own.
std::vector<Gpu> gpus_of_host(const Machine& machine, int host) {
  std::vector<Gpu> gpus = gpus_of(machine);
  for (Gpu& gpu : gpus) gpu.uuid = "GPU-" + std::to_string(1000 * host + gpu.index);
  return gpus;
}

HostClass class_of_host(const std::vector<Gpu>& gpus, const HostPlacement& placement) {
  HostClass host;
  for (const RankPlacement& rank : placement.ranks) {
    host.rows.push_back({gpus[static_cast<std::size_t>(rank.gpu)].index, format_cpu_list(rank.cpus),
                         format_cpu_list(rank.memory_nodes)});
  }
  return host;
}

struct Hosts {
  std::vector<Machine> machines;
  std::vector<std::vector<Gpu>> gpus;
  std::vector<UnplacedHost> unplaced;
};

/// Of three kinds, one after the other.
Hosts many_hosts(std::size_t count) {
  const Machine kinds[] = {eight_gpus("56x2"), eight_gpus("48x2"), eight_gpus("64x1")};
  Hosts hosts;
  for (std::size_t i = 0; i < count; ++i) {
    hosts.machines.push_back(kinds[i * 3 / count]);
    hosts.gpus.push_back(gpus_of_host(hosts.machines.back(), static_cast<int>(i)));
  }
  for (std::size_t i = 0; i < count; ++i) hosts.unplaced.push_back({&hosts.machines[i], &hosts.gpus[i], 8, {}});
  return hosts;
}

TEST(AlikeHosts, ArePlacedOnceAndShareTheResult) {
  const Hosts hosts = many_hosts(30);
  std::set<const HostPlacement*> different;
  const auto placements = place_hosts(hosts.unplaced);
  ASSERT_EQ(placements.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i) {
    different.insert(placements[i].get());
    EXPECT_EQ(*placements[i], resolve_placement(hosts.machines[i], hosts.gpus[i], 8, {}));
  }
  EXPECT_EQ(different.size(), 3u);
}

TEST(AlikeHosts, DifferByRanksPolicyAndGpus) {
  const Machine machine = eight_gpus("4x1");
  const std::vector<Gpu> all = gpus_of_host(machine, 1);
  const std::vector<Gpu> some(all.begin() + 4, all.end());
  PlacementPolicy unbound;
  unbound.bind = false;
  const auto placements = place_hosts(
      {{&machine, &all, 4, {}}, {&machine, &all, 3, {}}, {&machine, &all, 4, unbound}, {&machine, &some, 4, {}}});
  EXPECT_EQ(placements[1]->ranks.size(), 3u);
  EXPECT_TRUE(placements[2]->ranks[0].cpus.empty());
  EXPECT_EQ(placements[0]->ranks[0].numa, 0);
  EXPECT_EQ(placements[3]->ranks[0].numa, 1);
}

TEST(AlikeHosts, AreToldApartByNameWhereOneCannotBePlaced) {
  const Machine large = eight_gpus("8x1");
  const Machine small = eight_gpus("2x1");
  const std::vector<Gpu> gpus = gpus_of_host(large, 1);
  PlacementPolicy policy;
  policy.cpu_set = {8, 9, 10};
  EXPECT_EQ(problem_of([&] {
              place_hosts({{&large, &gpus, 2, policy, "a"}, {&small, &gpus, 2, policy, "b"}});
            }),
            "b: none of the CPUs 8-10 may be used here");
}

TEST(Planner, PlansTenThousandHostsOfThreeKindsWithinASecondAnd200Megabytes) {
  RINGRUN_NOT_SANITIZED("its time and memory are those of an ordinary build");
  const Hosts hosts = many_hosts(10000);
  const std::clock_t start = std::clock();
  const auto placements = place_hosts(hosts.unplaced);
  std::vector<HostClass> classes;
  for (std::size_t i = 0; i < placements.size(); ++i) classes.push_back(class_of_host(hosts.gpus[i], *placements[i]));
  const JobPlan plan = make_job_plan(classes, {"192.168.1.5", 29500, "run"});
  const std::string text = to_json(plan);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_EQ(plan.classes.size(), 3u);
  EXPECT_LT(text.size(), 8192u);
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  rusage usage{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
  RecordProperty("megabytes", static_cast<int>(usage.ru_maxrss / 1024));
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  EXPECT_LT(seconds, 20.0);
#else
  // 40 ms where it is optimised.
  EXPECT_LT(seconds, 1.0);
  EXPECT_LT(usage.ru_maxrss, 200 * 1024) << "KiB, the hosts' facts included";
#endif
}

}  // namespace
}  // namespace ringrun
