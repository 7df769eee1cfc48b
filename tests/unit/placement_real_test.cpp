#include <gtest/gtest.h>

#include "lib/error.hpp"
#include "tests/unit/placement_table.hpp"
#include "tests/unit/real_machine.hpp"

namespace ringrun {
namespace {

TEST(RealPlacement, FourH100sOfAXe8640EachUseTheirOwnOfEightNodes) {
  REAL_MACHINE(machine, "ipa20.xml");
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0000:4e:00.0 | 3 | 42-55,154-167 | 3 | hsi0 | mlx5_0
)");
  EXPECT_EQ(placement_table(machine, 2), R"(
0 → 0000:4e:00.0 | 3 | 42-55,154-167 | 3 | hsi0 | mlx5_0
1 → 0000:5f:00.0 | 1 | 14-27,126-139 | 1 | ibp94s0 | mlx5_2
)");
  EXPECT_EQ(placement_table(machine, 4), R"(
0 → 0000:4e:00.0 | 3 | 42-55,154-167 | 3 | hsi0 | mlx5_0
1 → 0000:5f:00.0 | 1 | 14-27,126-139 | 1 | ibp94s0 | mlx5_2
2 → 0000:cb:00.0 | 7 | 98-111,210-223 | 7 | ibp218s0 | mlx5_3
3 → 0000:db:00.0 | 5 | 70-83,182-195 | 5 | ibp218s0 | mlx5_3
)");
  EXPECT_EQ(placement_table(machine, 8), R"(
0 → 0000:4e:00.0 | 3 | 42-48,154-160 | 3 | hsi0 | mlx5_0
1 → 0000:5f:00.0 | 1 | 14-20,126-132 | 1 | ibp94s0 | mlx5_2
2 → 0000:cb:00.0 | 7 | 98-104,210-216 | 7 | ibp218s0 | mlx5_3
3 → 0000:db:00.0 | 5 | 70-76,182-188 | 5 | ibp218s0 | mlx5_3
4 → 0000:4e:00.0 | 3 | 49-55,161-167 | 3 | hsi0 | mlx5_0
5 → 0000:5f:00.0 | 1 | 21-27,133-139 | 1 | ibp94s0 | mlx5_2
6 → 0000:cb:00.0 | 7 | 105-111,217-223 | 7 | ibp218s0 | mlx5_3
7 → 0000:db:00.0 | 5 | 77-83,189-195 | 5 | ibp218s0 | mlx5_3
)");
}

TEST(RealPlacement, FourV100sOfAPower9ShareTwoPackages) {
  REAL_MACHINE(machine, "coral-lassen.xml");
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0004:04:00.0 | 0 | 8-87 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
)");
  EXPECT_EQ(placement_table(machine, 2), R"(
0 → 0004:04:00.0 | 0 | 8-47 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
1 → 0004:05:00.0 | 0 | 48-87 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
)");
  EXPECT_EQ(placement_table(machine, 4), R"(
0 → 0004:04:00.0 | 0 | 8-47 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
1 → 0004:05:00.0 | 0 | 48-87 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
2 → 0035:03:00.0 | 8 | 96-135 | 8 | hsi2,hsi3 | mlx5_2,mlx5_3
3 → 0035:04:00.0 | 8 | 136-175 | 8 | hsi2,hsi3 | mlx5_2,mlx5_3
)");
  EXPECT_EQ(placement_table(machine, 6), R"(
0 → 0004:04:00.0 | 0 | 8-27 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
1 → 0004:05:00.0 | 0 | 28-47 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
2 → 0035:03:00.0 | 8 | 96-135 | 8 | hsi2,hsi3 | mlx5_2,mlx5_3
3 → 0035:04:00.0 | 8 | 136-175 | 8 | hsi2,hsi3 | mlx5_2,mlx5_3
4 → 0004:04:00.0 | 0 | 48-67 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
5 → 0004:05:00.0 | 0 | 68-87 | 0 | hsi0,hsi1 | mlx5_0,mlx5_1
)");
}

TEST(RealPlacement, TwoP100sShareTheNodeOfTheOneHca) {
  REAL_MACHINE(machine, "cts1-pascal.xml");
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0000:04:00.0 | 0 | 0-17,36-53 | 0 | hsi0 | mlx5_0
)");
  EXPECT_EQ(placement_table(machine, 2), R"(
0 → 0000:04:00.0 | 0 | 0-8,36-44 | 0 | hsi0 | mlx5_0
1 → 0000:07:00.0 | 0 | 9-17,45-53 | 0 | hsi0 | mlx5_0
)");
  EXPECT_EQ(placement_table(machine, 3), R"(
0 → 0000:04:00.0 | 0 | 0-5,36-41 | 0 | hsi0 | mlx5_0
1 → 0000:07:00.0 | 0 | 6-11,42-47 | 0 | hsi0 | mlx5_0
2 → 0000:04:00.0 | 0 | 12-17,48-53 | 0 | hsi0 | mlx5_0
)");
}

TEST(RealPlacement, EightT4sOfACloudMachineAreFourANode) {
  REAL_MACHINE(machine, "g4dnmetal.xml");
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0000:18:00.0 | 0 | 0-23,48-71 | 0 | eth0 | rdmap197s0
)");
  EXPECT_EQ(placement_table(machine, 2), R"(
0 → 0000:18:00.0 | 0 | 0-11,48-59 | 0 | eth0 | rdmap197s0
1 → 0000:19:00.0 | 0 | 12-23,60-71 | 0 | eth0 | rdmap197s0
)");
  EXPECT_EQ(placement_table(machine, 8), R"(
0 → 0000:18:00.0 | 0 | 0-5,48-53 | 0 | eth0 | rdmap197s0
1 → 0000:19:00.0 | 0 | 6-11,54-59 | 0 | eth0 | rdmap197s0
2 → 0000:35:00.0 | 0 | 12-17,60-65 | 0 | eth0 | rdmap197s0
3 → 0000:36:00.0 | 0 | 18-23,66-71 | 0 | eth0 | rdmap197s0
4 → 0000:e7:00.0 | 1 | 24-29,72-77 | 1 | eth0 | rdmap197s0
5 → 0000:e8:00.0 | 1 | 30-35,78-83 | 1 | eth0 | rdmap197s0
6 → 0000:f4:00.0 | 1 | 36-41,84-89 | 1 | eth0 | rdmap197s0
7 → 0000:f5:00.0 | 1 | 42-47,90-95 | 1 | eth0 | rdmap197s0
)");
  EXPECT_EQ(placement_table(machine, 10), R"(
0 → 0000:18:00.0 | 0 | 0-3,48-51 | 0 | eth0 | rdmap197s0
1 → 0000:19:00.0 | 0 | 4-7,52-55 | 0 | eth0 | rdmap197s0
2 → 0000:35:00.0 | 0 | 8-11,56-59 | 0 | eth0 | rdmap197s0
3 → 0000:36:00.0 | 0 | 12-15,60-63 | 0 | eth0 | rdmap197s0
4 → 0000:e7:00.0 | 1 | 24-29,72-77 | 1 | eth0 | rdmap197s0
5 → 0000:e8:00.0 | 1 | 30-35,78-83 | 1 | eth0 | rdmap197s0
6 → 0000:f4:00.0 | 1 | 36-41,84-89 | 1 | eth0 | rdmap197s0
7 → 0000:f5:00.0 | 1 | 42-47,90-95 | 1 | eth0 | rdmap197s0
8 → 0000:18:00.0 | 0 | 16-19,64-67 | 0 | eth0 | rdmap197s0
9 → 0000:19:00.0 | 0 | 20-23,68-71 | 0 | eth0 | rdmap197s0
)");
}

TEST(RealPlacement, SixteenV100sOfADgx2ShareFourCores) {
  REAL_MACHINE(machine, "nvidiaDGX2.xml");
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0000:34:00.0 | 0 | 0,1 | 0 | - | -
)");
  EXPECT_EQ(placement_table(machine, 2), R"(
0 → 0000:34:00.0 | 0 | 0,1 | 0 | - | -
1 → 0000:36:00.0 | 0 | 0,1 | 0 | - | -
)");
  EXPECT_EQ(placement_table(machine, 16), R"(
0 → 0000:34:00.0 | 0 | 0,1 | 0 | - | -
1 → 0000:36:00.0 | 0 | 0,1 | 0 | - | -
2 → 0000:39:00.0 | 0 | 0,1 | 0 | - | -
3 → 0000:3b:00.0 | 0 | 0,1 | 0 | - | -
4 → 0000:57:00.0 | 0 | 0,1 | 0 | - | -
5 → 0000:59:00.0 | 0 | 0,1 | 0 | - | -
6 → 0000:5c:00.0 | 0 | 0,1 | 0 | - | -
7 → 0000:5e:00.0 | 0 | 0,1 | 0 | - | -
8 → 0000:b7:00.0 | 1 | 24,25 | 1 | - | -
9 → 0000:b9:00.0 | 1 | 24,25 | 1 | - | -
10 → 0000:bc:00.0 | 1 | 24,25 | 1 | - | -
11 → 0000:be:00.0 | 1 | 24,25 | 1 | - | -
12 → 0000:e0:00.0 | 1 | 24,25 | 1 | - | -
13 → 0000:e2:00.0 | 1 | 24,25 | 1 | - | -
14 → 0000:e5:00.0 | 1 | 24,25 | 1 | - | -
15 → 0000:e7:00.0 | 1 | 24,25 | 1 | - | -
)");
  EXPECT_EQ(placement_table(machine, 18), R"(
0 → 0000:34:00.0 | 0 | 0,1 | 0 | - | -
1 → 0000:36:00.0 | 0 | 0,1 | 0 | - | -
2 → 0000:39:00.0 | 0 | 0,1 | 0 | - | -
3 → 0000:3b:00.0 | 0 | 0,1 | 0 | - | -
4 → 0000:57:00.0 | 0 | 0,1 | 0 | - | -
5 → 0000:59:00.0 | 0 | 0,1 | 0 | - | -
6 → 0000:5c:00.0 | 0 | 0,1 | 0 | - | -
7 → 0000:5e:00.0 | 0 | 0,1 | 0 | - | -
8 → 0000:b7:00.0 | 1 | 24,25 | 1 | - | -
9 → 0000:b9:00.0 | 1 | 24,25 | 1 | - | -
10 → 0000:bc:00.0 | 1 | 24,25 | 1 | - | -
11 → 0000:be:00.0 | 1 | 24,25 | 1 | - | -
12 → 0000:e0:00.0 | 1 | 24,25 | 1 | - | -
13 → 0000:e2:00.0 | 1 | 24,25 | 1 | - | -
14 → 0000:e5:00.0 | 1 | 24,25 | 1 | - | -
15 → 0000:e7:00.0 | 1 | 24,25 | 1 | - | -
16 → 0000:34:00.0 | 0 | 0,1 | 0 | - | -
17 → 0000:36:00.0 | 0 | 0,1 | 0 | - | -
)");
}

TEST(RealPlacement, TwoH200sOfAVirtualMachineShareItsOneNode) {
  REAL_MACHINE(machine, "h200x2-vm.xml");
  EXPECT_EQ(placement_table(machine, 1), R"(
0 → 0000:00:06.0 | 0 | 0-31 | 0 | eth0 | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
  EXPECT_EQ(placement_table(machine, 2), R"(
0 → 0000:00:06.0 | 0 | 0-15 | 0 | eth0 | -
1 → 0000:00:07.0 | 0 | 16-31 | 0 | eth0 | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
  EXPECT_EQ(placement_table(machine, 3), R"(
0 → 0000:00:06.0 | 0 | 0-9 | 0 | eth0 | -
1 → 0000:00:07.0 | 0 | 10-20 | 0 | eth0 | -
2 → 0000:00:06.0 | 0 | 21-31 | 0 | eth0 | -
note: this machine does not show what its GPUs are next to: CPUs are shared out evenly
)");
}

TEST(RealPlacement, OfAnXe8640TakesTheOneHcaWhosePortIsUpWhereThatAloneReaches) {
  REAL_MACHINE(machine, "ipa20.xml");
  PlacementPolicy policy;
  policy.nics = {"eno8303"};
  policy.hcas = {"mlx5_0"};
  EXPECT_EQ(placement_table(machine, 4, policy), R"(
0 → 0000:4e:00.0 | 3 | 42-55,154-167 | 3 | eno8303 | mlx5_0
1 → 0000:5f:00.0 | 1 | 14-27,126-139 | 1 | eno8303 | mlx5_0
2 → 0000:cb:00.0 | 7 | 98-111,210-223 | 7 | eno8303 | mlx5_0
3 → 0000:db:00.0 | 5 | 70-83,182-195 | 5 | eno8303 | mlx5_0
)");
}

TEST(RealPlacement, OfMoreRanksThanGpusIsRefusedUnlessTheyMayShare) {
  for (const char* name :
       {"ipa20.xml", "coral-lassen.xml", "cts1-pascal.xml", "g4dnmetal.xml", "nvidiaDGX2.xml", "h200x2-vm.xml"}) {
    REAL_MACHINE(machine, name);
    const std::vector<Gpu> gpus = gpus_of(machine);
    PlacementPolicy policy;
    policy.share_gpu = false;
    const int count = static_cast<int>(gpus.size());
    EXPECT_NO_THROW(resolve_placement(machine, gpus, count, policy)) << name;
    EXPECT_THROW(resolve_placement(machine, gpus, count + 1, policy), UserError) << name;
  }
}

TEST(RealGpus, HaveTheNamesThatTheirDriversGave) {
  REAL_MACHINE(machine, "coral-lassen.xml");
  const std::vector<Gpu> gpus = gpus_of(machine);
  ASSERT_EQ(gpus.size(), 4u);
  EXPECT_EQ(gpus[2].index, 2);
  EXPECT_EQ(gpus[2].bus_id, "0035:03:00.0");
  EXPECT_EQ(gpus[2].name, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(gpus[2].uuid, "GPU-3e0871a1-dd1a-b447-40f2-86e6745c3206");
}

TEST(RealGpus, HaveNoUuidWhereItWasTakenOut) {
  REAL_MACHINE(machine, "ipa20.xml");
  for (const Gpu& gpu : gpus_of(machine)) EXPECT_EQ(gpu.uuid, "");
}

}  // namespace
}  // namespace ringrun
