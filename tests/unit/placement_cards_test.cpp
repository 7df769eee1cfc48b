#include <gtest/gtest.h>

#include "tests/unit/drawn_machine.hpp"
#include "tests/unit/placement_table.hpp"

namespace ringrun {
namespace {

TEST(NearestCards, ACardUnderTheSameSwitchIsTheNearest) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
package 0
 node 0 cores 8x1
  bridge
   card 01:00.0 eno1
  bridge
   bridge
    bridge
     gpu 10:00.0
    bridge
     card 11:00.0 ib0 mlx5_0=4
   bridge
    bridge
     gpu 12:00.0
    bridge
     card 13:00.0 ib1 mlx5_1=4
package 1
 node 1 cores 8x1
  bridge
   bridge
    gpu 90:00.0
    gpu 91:00.0
    card 92:00.0 ib2 mlx5_2=4
    card 93:00.0 ib3 mlx5_3=4
)"),
                            4),
            R"(
0 → 0000:10:00.0 | 0 | 0-3 | 0 | ib0 | mlx5_0
1 → 0000:12:00.0 | 0 | 4-7 | 0 | ib1 | mlx5_1
2 → 0000:90:00.0 | 1 | 8-11 | 1 | ib2,ib3 | mlx5_2,mlx5_3
3 → 0000:91:00.0 | 1 | 12-15 | 1 | ib2,ib3 | mlx5_2,mlx5_3
)");
}

TEST(NearestCards, WithoutACardOnItsNodeTheNearestOfThePackageIsTaken) {
  const Machine machine = drawn_machine(R"(
distances 10 12 21 21 12 10 21 21 21 21 10 12 21 21 12 10
package 0
 node 0 cores 2x2
  bridge
   bridge
    gpu 10:00.0
 node 1 cores 2x2
  bridge
   bridge
    gpu 20:00.0
   bridge
    card 21:00.0 ib0 mlx5_0=4
package 1
 node 2 cores 2x2
  bridge
   bridge
    gpu 30:00.0
 node 3 cores 2x2
  bridge
   bridge
    card 41:00.0 ib1 mlx5_1=4
)");
  EXPECT_EQ(placement_table(machine, 3), R"(
0 → 0000:10:00.0 | 0 | 0,1,8,9 | 0 | ib0 | mlx5_0
1 → 0000:20:00.0 | 1 | 2,3,10,11 | 1 | ib0 | mlx5_0
2 → 0000:30:00.0 | 2 | 4,5,12,13 | 2 | ib1 | mlx5_1
)");
}

TEST(NearestCards, CardsThatDoNotReachThePeersAreNotTaken) {
  const Machine machine = drawn_machine(R"(
package 0
 node 0 cores 2x1
  bridge
   gpu 10:00.0
   card 11:00.0 eth0 mlx5_0=4
package 1
 node 1 cores 2x1
  bridge
   gpu 20:00.0
   card 21:00.0 eth1 mlx5_1=4
   card 22:00.0 eth2 mlx5_2=1
)");
  PlacementPolicy policy;
  policy.nics = {"eth1", "eth2"};
  policy.hcas = {"mlx5_2"};
  EXPECT_EQ(placement_table(machine, 2, policy), R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | eth1 | mlx5_2
1 → 0000:20:00.0 | 1 | 2,3 | 1 | eth1 | mlx5_2
)");
  policy.nics = {"bond0"};
  policy.hcas = {};
  EXPECT_EQ(placement_table(machine, 2, policy), R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | bond0 | mlx5_0
1 → 0000:20:00.0 | 1 | 2,3 | 1 | bond0 | mlx5_1
)");
}

TEST(NearestCards, OfEquallyNearOnesAreTheFastestWhoseLinkIsNotDown) {
  Machine machine = drawn_machine(R"(
package 0
 node 0 cores 2x1
  bridge
   bridge
    gpu 10:00.0
    card 11:00.0 eth0 mlx5_0=4
    card 12:00.0 eth1 mlx5_1=4
    card 13:00.0 eth2 mlx5_2=1
)");
  for (NetworkCard& card : machine.cards) {
    card.speed = card.name == "eth0" ? 1000 : card.name == "mlx5_2" ? 400000 : 100000;
  }
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | eth1 | mlx5_0,mlx5_1
)");
}

TEST(NearestCards, AreThoseOfThePackageWhereAllOtherNodesAreAsFar) {
  EXPECT_EQ(placement_table(drawn_machine(R"(
distances 10 20 20 20 10 20 20 20 10
package 0
 node 0 cores 2x1
  bridge
   gpu 10:00.0
 node 1 cores 2x1
  bridge
   card 21:00.0 eth0 mlx5_0=4
package 1
 node 2 cores 2x1
  bridge
   card 31:00.0 eth1 mlx5_1=4
)"),
                            1),
            R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | eth0 | mlx5_0
)");
}

TEST(NearestCards, AreOnUsbOnlyWhereThereAreNoOthers) {
  const Machine machine = drawn_machine(R"(
package 0
 node 0 cores 2x1
  bridge
   gpu 10:00.0
   usb 11:00.0 idrac
package 1
 node 1 cores 2x1
  bridge
   card 31:00.0 eth1
)");
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | eth1 | -
)");
  PlacementPolicy policy;
  policy.nics = {"idrac"};
  EXPECT_EQ(placement_table(machine, 1, policy), R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | idrac | -
)");
}

TEST(NearestCards, WithoutAPlaceAreFartherThanOnesOnTheNode) {
  const Machine machine = drawn_machine(R"(
node 0 cores 2x1
 bridge
  bridge
   gpu 10:00.0
 bridge
  bridge
   card 20:00.0 eth0
node 1 cores 2x1
 bridge
  bridge
   gpu 30:00.0
interface eth1
)");
  EXPECT_EQ(placement_table(machine, 2), R"(
0 → 0000:10:00.0 | 0 | 0,1 | 0 | eth0 | -
1 → 0000:30:00.0 | 1 | 2,3 | 1 | eth1 | -
)");
}

}  // namespace
}  // namespace ringrun
