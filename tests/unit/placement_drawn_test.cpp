#include <gtest/gtest.h>

#include "lib/topology/hwloc_reader.hpp"
#include "tests/unit/drawn_machine.hpp"
#include "tests/unit/placement_table.hpp"

namespace ringrun {
namespace {

TEST(DrawnPlacement, OnADesktopTheGpuHasEveryCore) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 4x2
  bridge
   bridge
    gpu 01:00.0
   bridge
    card 05:00.0 enp5s0
)"),
                            1),
            R"(
0 → 0000:01:00.0 | 0 | 0-7 | 0 | enp5s0 | -
)");
}

TEST(DrawnPlacement, AGpuWhoseNodeHasNoCpuLeftUsesTheNearestNode) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
allowed cpus 4-15
distances 10 12 32 32 12 10 32 32 32 32 10 12 32 32 12 10
package 0
 node 0 cores 4x1
  bridge
   bridge
    gpu 10:00.0
 node 1 cores 4x1
package 1
 node 2 cores 4x1
  bridge
   bridge
    gpu 20:00.0
 node 3 cores 4x1
)"),
                            2),
            R"(
0 → 0000:10:00.0 | 1 | 4-7 | 1 | - | -
1 → 0000:20:00.0 | 2 | 8-11 | 2 | - | -
)");
}

TEST(DrawnPlacement, AGpuWhoseNodeHasNoCpuLeftStaysInItsPackageWhereAllNodesAreAsFar) {
  const std::string nodes = R"(
distances 10 20 20 20 10 20 20 20 10
package 0
 node 0 cores 2x1
  bridge
   gpu 10:00.0
 node 1 cores 2x1
package 1
 node 2 cores 2x1
)";
  EXPECT_EQ(placement_table(drawn_machine("allowed cpus 2-5" + nodes), 1), R"(
0 → 0000:10:00.0 | 1 | 2,3 | 1 | - | -
)");
  EXPECT_EQ(placement_table(drawn_machine("offline cpus 0,1" + nodes), 1), R"(
0 → 0000:10:00.0 | 1 | 2,3 | 1 | - | -
)");
}

TEST(DrawnPlacement, ASingleCpuBesideTheGpuIsJoinedByTheNextNode) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
allowed cpus 3,8-11
package 0
 node 0 cores 4x1
  bridge
   bridge
    gpu 10:00.0
 node 1 cores 4x1
package 1
 node 2 cores 4x1
)"),
                            1),
            R"(
0 → 0000:10:00.0 | - | 3,8-11 | 0,2 | - | -
)");
}

TEST(DrawnPlacement, RanksThatNeedOneAnothersNodesKeepTheirOwnCpu) {
  const std::string nodes = R"(
package 0
 node 0 cores 1x1
 bridge
  gpu 0a:00.0
package 1
 node 1 cores 1x1
package 2
 node 2 cores 1x1
package 3
 node 3 cores 1x1
 bridge
  gpu 0b:00.0
)";
  EXPECT_EQ(placement_table(drawn_machine(nodes + " bridge\n  gpu 01:00.0\n"), 3), R"(
0 → 0000:01:00.0 | - | 2,3 | 2,3 | - | -
1 → 0000:0a:00.0 | - | 0,1 | 0,1 | - | -
2 → 0000:0b:00.0 | - | 2,3 | 2,3 | - | -
)") << "three ranks on four CPUs";
  EXPECT_EQ(placement_table(drawn_machine("package 0\n node 0 cores 1x1\n bridge\n  gpu 0b:00.0\npackage 1\n node 1 "
                                          "cores 1x1\npackage 2\n node 2 cores 1x1\npackage 3\n node 3 cores 1x1\n "
                                          "bridge\n  gpu 0a:00.0\n"),
                            2),
            R"(
0 → 0000:0a:00.0 | - | 2,3 | 2,3 | - | -
1 → 0000:0b:00.0 | - | 0,1 | 0,1 | - | -
)") << "in the order of the nodes";
}

TEST(DrawnPlacement, UnevenNodesAreSharedByThoseBesideThem) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 2x2
  bridge
   bridge
    gpu 10:00.0
   bridge
    gpu 11:00.0
 node 1 cores 6x2
  bridge
   bridge
    gpu 20:00.0
)"),
                            3),
            R"(
0 → 0000:10:00.0 | 0 | 0,8 | 0 | - | -
1 → 0000:11:00.0 | 0 | 1,9 | 0 | - | -
2 → 0000:20:00.0 | 1 | 2-7,10-15 | 1 | - | -
)");
}

TEST(DrawnPlacement, TheMemoryOfGpusAndHbmIsNotBoundTo) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 4x4
  hbm 250
  bridge
   bridge
    gpu 10:00.0
package 8
 node 8 cores 4x4
  hbm 251
  bridge
   bridge
    gpu 20:00.0
)"),
                            2),
            R"(
0 → 0000:10:00.0 | 0 | 0-3,8-11,16-19,24-27 | 0 | - | -
1 → 0000:20:00.0 | 8 | 4-7,12-15,20-23,28-31 | 8 | - | -
)");
}

TEST(DrawnPlacement, ANodeWithoutMemoryUsesThatOfTheNearest) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 2x1
 node 1 cores 2x1 0B
  bridge
   bridge
    gpu 10:00.0
package 1
 node 2 cores 2x1
)"),
                            1),
            R"(
0 → 0000:10:00.0 | 1 | 2,3 | 0 | - | -
)");
}

TEST(DrawnPlacement, CoresOfTwoKindsAreSharedByTheirThreads) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 2x2+4x1
  bridge
   bridge
    gpu 10:00.0
   bridge
    gpu 11:00.0
)"),
                            2),
            R"(
0 → 0000:10:00.0 | 0 | 0,1,6,7 | 0 | - | -
1 → 0000:11:00.0 | 0 | 2-5 | 0 | - | -
)");
}

TEST(DrawnPlacement, MoreGpusThanCoresShareThem) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 3x1
  bridge
   gpu 10:00.0
   gpu 11:00.0
   gpu 12:00.0
   gpu 13:00.0
package 1
 node 1 cores 2x4
  bridge
   gpu 20:00.0
   gpu 21:00.0
   gpu 22:00.0
   gpu 23:00.0
)"),
                            8),
            R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | - | -
1 → 0000:11:00.0 | 0 | 1,2 | 0 | - | -
2 → 0000:12:00.0 | 0 | 0,2 | 0 | - | -
3 → 0000:13:00.0 | 0 | 0,1 | 0 | - | -
4 → 0000:20:00.0 | 1 | 3,5 | 1 | - | -
5 → 0000:21:00.0 | 1 | 7,9 | 1 | - | -
6 → 0000:22:00.0 | 1 | 4,6 | 1 | - | -
7 → 0000:23:00.0 | 1 | 8,10 | 1 | - | -
)");
}

TEST(DrawnPlacement, RanksThatShareAGpuShareItsNode) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
node 0 cores 4x2
 bridge
  bridge
   gpu 10:00.0
node 1 cores 4x2
 bridge
  bridge
   gpu 20:00.0
)"),
                            5),
            R"(
0 → 0000:10:00.0 | 0 | 0,8 | 0 | - | -
1 → 0000:20:00.0 | 1 | 4,5,12,13 | 1 | - | -
2 → 0000:10:00.0 | 0 | 1,9 | 0 | - | -
3 → 0000:20:00.0 | 1 | 6,7,14,15 | 1 | - | -
4 → 0000:10:00.0 | 0 | 2,3,10,11 | 0 | - | -
)");
}

}  // namespace
}  // namespace ringrun
