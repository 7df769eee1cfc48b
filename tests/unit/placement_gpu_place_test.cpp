// What is known of where GPUs are: a package, a node, or nothing.
#include <gtest/gtest.h>

#include "lib/topology/hwloc_reader.hpp"
#include "tests/unit/drawn_machine.hpp"
#include "tests/unit/placement_table.hpp"

namespace ringrun {
namespace {

TEST(PlaceOfGpus, AGpuBesideAPackageTakesWhatThoseBesideANodeLeave) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 4x1
 node 1 cores 4x1
  bridge
   bridge
    gpu 10:00.0
 bridge
  bridge
   gpu 20:00.0
package 1
 node 2 cores 4x1
)"),
                            2),
            R"(
0 → 0000:10:00.0 | 1 | 4-7 | 1 | - | -
1 → 0000:20:00.0 | 0 | 0-3 | 0 | - | -
)");
}

TEST(PlaceOfGpus, WhereNothingIsSaidOfGpusTheNodesAreSharedEvenly) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 4x2
package 1
 node 1 cores 4x2
bridge
 gpu 06:00.0
 gpu 07:00.0
 card 03:00.0 eth0
)"),
                            2),
            R"(
0 → 0000:06:00.0 | 0 | 0-3,8-11 | 0 | eth0 | -
1 → 0000:07:00.0 | 1 | 4-7,12-15 | 1 | eth0 | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(PlaceOfGpus, WhereNothingIsSaidOfGpusARankStaysOnANodeAllTheSame) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 4x2
package 1
 node 1 cores 4x2
bridge
 gpu 06:00.0
 gpu 07:00.0
 gpu 08:00.0
)"),
                            3),
            R"(
0 → 0000:06:00.0 | 0 | 0,1,8,9 | 0 | - | -
1 → 0000:07:00.0 | 0 | 2,3,10,11 | 0 | - | -
2 → 0000:08:00.0 | 1 | 4-7,12-15 | 1 | - | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(PlaceOfGpus, AGpuBesideAPackageStaysOnANodeThatOthersLeave) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 4x1
 node 1 cores 4x1
 bridge
  gpu 06:00.0
package 1
 node 2 cores 4x1
 node 3 cores 4x1
  bridge
   gpu 87:00.0
 bridge
  gpu 88:00.0
)"),
                            3),
            R"(
0 → 0000:06:00.0 | - | 0-7 | 0,1 | - | -
1 → 0000:87:00.0 | 3 | 12-15 | 3 | - | -
2 → 0000:88:00.0 | 2 | 8-11 | 2 | - | -
)");
}

TEST(PlaceOfGpus, GpusOfUnknownPlaceLeaveThePackageToThoseThatAreBesideIt) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 4x1
 node 1 cores 4x1
package 1
 node 2 cores 4x1
 node 3 cores 4x1
 bridge
  gpu 84:00.0
  gpu 8a:00.0
bridge
 gpu 01:00.0
 gpu 02:00.0
)"),
                            4),
            R"(
0 → 0000:01:00.0 | 0 | 0-3 | 0 | - | -
1 → 0000:02:00.0 | 1 | 4-7 | 1 | - | -
2 → 0000:84:00.0 | 2 | 8-11 | 2 | - | -
3 → 0000:8a:00.0 | 3 | 12-15 | 3 | - | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(PlaceOfGpus, WithoutAPciTreeEverythingIsStillPlaced) {
  const Machine machine = drawn_machine(R"(
node 0 cores 4x2
interface eth0
)");
  Gpu gpu;
  gpu.bus_id = "0000:01:00.0";
  EXPECT_EQ(placement_table({gpu}, resolve_placement(machine, {gpu}, 1, {})), R"(
0 → 0000:01:00.0 | 0 | 0-7 | 0 | eth0 | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(PlaceOfGpus, AMachineWithoutMemoryNodesOrCoresIsSharedByProcessor) {
  const std::vector<Gpu> gpus(2);
  EXPECT_EQ(placement_table(gpus, resolve_placement(read_machine_synthetic("pu:8"), gpus, 2, {})), R"(
0 → ? | 0 | 0-3 | 0 | - | -
1 → ? | 0 | 4-7 | 0 | - | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(PlaceOfGpus, NodesThatNobodyIsNextToGoToRanksByNeighbours) {
  const std::vector<Gpu> gpus(2);
  EXPECT_EQ(
      placement_table(gpus, resolve_placement(read_machine_synthetic("package:1 numa:4 core:2 pu:1"), gpus, 2, {})), R"(
0 → ? | - | 0-3 | 0,1 | - | -
1 → ? | - | 4-7 | 2,3 | - | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(PlaceOfGpus, WhereNothingIsSaidOfItUnevenNodesAreSharedFairlyAllTheSame) {
  const std::vector<Gpu> gpus(2);
  const Machine machine = drawn_machine("node 0 cores 10x1\nnode 1 cores 4x1\nnode 2 cores 4x1\n");
  EXPECT_EQ(placement_table(gpus, resolve_placement(machine, gpus, 2, {})), R"(
0 → ? | 0 | 0-8 | 0 | - | -
1 → ? | - | 9-17 | 0-2 | - | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(PlaceOfGpus, NothingIsSaidOfThePlaceOfARankWithoutAGpu) {
  const Machine machine = drawn_machine(R"(
package 0
 node 0 cores 2x1
  bridge
   bridge
    gpu 10:00.0
package 1
 node 1 cores 2x1
)");
  PlacementPolicy policy;
  policy.gpu_of_rank = {0, -1};
  EXPECT_EQ(resolve_placement(machine, gpus_of(machine), 2, policy).note, "");
}

}  // namespace
}  // namespace ringrun
