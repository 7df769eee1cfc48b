#include "lib/placement/placement.hpp"

#include <gtest/gtest.h>

#include "lib/topology/cpu_list.hpp"
#include "lib/topology/hwloc_reader.hpp"
#include "tests/unit/drawn_machine.hpp"
#include "tests/unit/error_text.hpp"
#include "tests/unit/placement_table.hpp"

namespace ringrun {
namespace {

std::vector<Gpu> unplaced_gpus(int count) {
  std::vector<Gpu> gpus(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    gpus[static_cast<std::size_t>(i)].index = i;
    gpus[static_cast<std::size_t>(i)].bus_id = "0000:0" + std::to_string(i) + ":00.0";
  }
  return gpus;
}

/// GPUs at the front of a package of four cores each.
Machine two_packages() {
  return drawn_machine(R"(
package 0
 node 0 cores 4x2
  bridge
   bridge
    gpu 01:00.0
   bridge
    gpu 02:00.0
package 1
 node 1 cores 4x2
  bridge
   bridge
    gpu 81:00.0
    card 82:00.0 eth0
)");
}

using Lists = std::vector<std::string>;

Lists cpu_lists(const HostPlacement& placement) {
  Lists lists;
  for (const RankPlacement& rank : placement.ranks) lists.push_back(format_cpu_list(rank.cpus));
  return lists;
}

Lists cpu_lists(const std::string& synthetic, int gpus, int ranks) {
  return cpu_lists(resolve_placement(read_machine_synthetic(synthetic), unplaced_gpus(gpus), ranks, {}));
}

std::string refusal(int ranks, int gpus, bool share_gpu) {
  PlacementPolicy policy;
  policy.share_gpu = share_gpu;
  return error_text([&] { resolve_placement(two_packages(), unplaced_gpus(gpus), ranks, policy); });
}

TEST(Placement, RanksShareTheCoresNextToTheirGpusInWholeCores) {
  EXPECT_EQ(placement_table(two_packages(), 3), R"(
0 → 0000:01:00.0 | 0 | 0,1,8,9 | 0 | eth0 | -
1 → 0000:02:00.0 | 0 | 2,3,10,11 | 0 | eth0 | -
2 → 0000:81:00.0 | 1 | 4-7,12-15 | 1 | eth0 | -
)");
}

TEST(Placement, AnUnevenNumberOfCoresIsSharedWithoutOverlap) {
  EXPECT_EQ(cpu_lists("numa:1 core:16 pu:1", 3, 3), (Lists{"0-4", "5-9", "10-15"}));
}

TEST(Placement, WhereThereAreFewerCoresThanRanksHardwareThreadsAreShared) {
  EXPECT_EQ(cpu_lists("numa:1 core:2 pu:4", 3, 3), (Lists{"0,1", "2-4", "5-7"}));
}

TEST(Placement, NoRankHasFewerThanTwoCpusWhereThereAreTwo) {
  EXPECT_EQ(cpu_lists("numa:1 core:4 pu:1", 8, 8), (Lists{"0,1", "2,3", "0,1", "2,3", "0,1", "2,3", "0,1", "2,3"}));
  EXPECT_EQ(cpu_lists("numa:1 core:5 pu:1", 3, 3), (Lists{"0,1", "2,3", "3,4"}));
  EXPECT_EQ(cpu_lists("numa:1 core:1 pu:1", 1, 1), Lists{"0"});
}

TEST(Placement, MoreRanksThanGpusTakeTurns) {
  const Machine machine = read_machine_synthetic("numa:1 core:8 pu:1");
  const HostPlacement placement = resolve_placement(machine, unplaced_gpus(2), 4, {});
  EXPECT_EQ(placement.ranks[2].gpu, 0);
  EXPECT_EQ(placement.ranks[3].gpu, 1);
  EXPECT_EQ(cpu_lists(placement), (Lists{"0,1", "2,3", "4,5", "6,7"}));
}

TEST(Placement, MoreRanksThanGpusAreRefusedUnlessTheyMayShare) {
  EXPECT_EQ(refusal(3, 2, false),
            "3 ranks want a GPU each, and there are 2 | start at most 2, or let ranks share GPUs: --share-gpu");
  EXPECT_EQ(refusal(2, 1, false),
            "2 ranks want a GPU each, and there is 1 | start at most 1, or let ranks share GPUs: --share-gpu");
  EXPECT_EQ(refusal(3, 2, true), "");
  EXPECT_EQ(refusal(2, 2, false), "");
  EXPECT_EQ(refusal(2, 0, false), "") << "ranks without GPUs share none";
}

TEST(Placement, WithoutGpusNothingIsBoundAndCardsAreStillNamed) {
  EXPECT_EQ(placement_table({}, resolve_placement(two_packages(), {}, 2, {})), R"(
0 → - | - | - | - | eth0 | -
1 → - | - | - | - | eth0 | -
)");
}

TEST(Placement, WhereAnotherBindsTheGpuItsNodeAndItsCardsAreStillTold) {
  PlacementPolicy policy;
  policy.bind = false;
  EXPECT_EQ(placement_table(two_packages(), 3, policy), R"(
0 → 0000:01:00.0 | 0 | - | - | eth0 | -
1 → 0000:02:00.0 | 0 | - | - | eth0 | -
2 → 0000:81:00.0 | 1 | - | - | eth0 | -
)");
}

TEST(Placement, GpusAreTakenInTheOrderGiven) {
  std::vector<Gpu> gpus = gpus_of(two_packages());
  gpus = {gpus[2], gpus[0]};
  EXPECT_EQ(placement_table(gpus, resolve_placement(two_packages(), gpus, 2, {})), R"(
0 → 0000:81:00.0 | 1 | 4-7,12-15 | 1 | eth0 | -
1 → 0000:01:00.0 | 0 | 0-3,8-11 | 0 | eth0 | -
)");
}

TEST(Placement, StaysWithinTheSetOfCpusThatWasAskedFor) {
  PlacementPolicy policy;
  policy.cpu_set = parse_cpu_list("1-3,9,12-99");
  EXPECT_EQ(placement_table(two_packages(), 3, policy), R"(
0 → 0000:01:00.0 | 0 | 1,9 | 0 | eth0 | -
1 → 0000:02:00.0 | 0 | 2,3 | 0 | eth0 | -
2 → 0000:81:00.0 | 1 | 12-15 | 1 | eth0 | -
note: of the CPUs that were asked for, 16-99 may not be used here
)");
  policy.cpu_set = parse_cpu_list("0-3");
  EXPECT_EQ(resolve_placement(two_packages(), {}, 1, policy).note, "");
  policy.cpu_set = parse_cpu_list("0-4,99");
  EXPECT_EQ(resolve_placement(two_packages(), {}, 1, policy).note,
            "of the CPUs that were asked for, 99 may not be used here");
  policy.cpu_set->clear();
  EXPECT_EQ(problem_of([&] { placement_table(two_packages(), 1, policy); }), "no CPU is named to bind to");
  policy.cpu_set = {99, 98};
  EXPECT_EQ(problem_of([&] { placement_table(two_packages(), 1, policy); }), "none of the CPUs 98,99 may be used here");
}

TEST(Placement, OfAHostWithoutGpusIsTheWholeSetOfCpusThatWasAskedFor) {
  PlacementPolicy policy;
  EXPECT_EQ(cpu_lists(resolve_placement(two_packages(), {}, 2, policy)), (Lists{"", ""}));
  policy.cpu_set = parse_cpu_list("2-5,99");
  EXPECT_EQ(cpu_lists(resolve_placement(two_packages(), {}, 2, policy)), (Lists{"2-5", "2-5"}));
  policy.bind = false;
  EXPECT_EQ(cpu_lists(resolve_placement(two_packages(), {}, 2, policy)), (Lists{"", ""}));
}

TEST(Placement, ARankSeesItsOwnGpuAloneWhereThatIsAskedFor) {
  std::vector<Gpu> gpus = gpus_of(two_packages());
  gpus = {gpus[2], gpus[0]};
  gpus[1].mig = true;
  gpus[1].uuid = "MIG-1234";
  PlacementPolicy policy;
  EXPECT_EQ(resolve_placement(two_packages(), gpus, 1, policy).ranks[0].visible_devices, std::nullopt);
  policy.own_gpu_only = true;
  const HostPlacement placement = resolve_placement(two_packages(), gpus, 2, policy);
  EXPECT_EQ(placement.ranks[0].visible_devices, "2");
  EXPECT_EQ(placement.ranks[1].visible_devices, "MIG-1234");
}

TEST(CpuList, IsReadAndWritten) {
  EXPECT_EQ(format_cpu_list({8, 0, 1, 2, 10, 11}), "0-2,8,10,11");
  EXPECT_EQ(parse_cpu_list("0-2,8"), (std::vector{0, 1, 2, 8}));
  EXPECT_TRUE(parse_cpu_list("").empty());
  EXPECT_EQ(problem_of([] { parse_cpu_list("0-70000"); }), "'0-70000' has a number beyond 65535");
  EXPECT_EQ(problem_of([] { parse_cpu_list("99999999999"); }), "'99999999999' has a number beyond 65535");
  for (const char* text : {",", "1,", "2-1", "x", "-1", "1--2"}) EXPECT_THROW(parse_cpu_list(text), UserError) << text;
}

}  // namespace
}  // namespace ringrun
