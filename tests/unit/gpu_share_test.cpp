#include "worker/placement/gpu_share.hpp"

#include <gtest/gtest.h>

#include "lib/topology/cpu_list.hpp"
#include "tests/unit/drawn_machine.hpp"

namespace ringrun::worker {
namespace {

/// Two packages of eight cores, each with two GPUs.
Machine four_gpus() {
  return drawn_machine(R"(
package 0
 node 0 cores 8x1
  bridge
   bridge
    gpu 01:00.0
   bridge
    gpu 02:00.0
package 1
 node 1 cores 8x1
  bridge
   bridge
    gpu 81:00.0
   bridge
    gpu 82:00.0
)");
}

std::string share(const std::vector<Gpu>& gpus, int local_rank, int local_size, const Options& options) {
  mpi::LaunchEnvironment launch;
  launch.local_rank = local_rank;
  launch.local_size = local_size;
  const ProcessPlacement placement = place_process(four_gpus(), gpus, launch, options);
  return format_cpu_list(placement.cpus) + " memory " + format_cpu_list(placement.memory_nodes);
}

TEST(GpuShare, IsWhatRingrunGivesTheRankOfTheSameGpu) {
  const std::vector<Gpu> gpus = gpus_of(four_gpus());
  const HostPlacement host = resolve_placement(four_gpus(), gpus, 4, {});
  for (int rank = 0; rank < 4; ++rank) {
    const RankPlacement& placed = host.ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(share(gpus, rank, 4, {}),
              format_cpu_list(placed.cpus) + " memory " + format_cpu_list(placed.memory_nodes));
  }
  EXPECT_EQ(share(gpus, 1, 4, {}), "4-7 memory 0");
  EXPECT_EQ(share(gpus, 2, 4, {}), "8-11 memory 1");
}

TEST(GpuShare, OfAProcessWithSeveralGpusIsThatOfAllOfThem) {
  const std::vector<Gpu> gpus = gpus_of(four_gpus());
  Options two;
  two.gpus = 2;
  EXPECT_EQ(share(gpus, 1, 2, two), "8-15 memory 1");
  two.threads = 2;
  EXPECT_EQ(share(gpus, 0, 1, two), "0-15 memory 0,1");
}

TEST(GpuShare, OfAProcessThatSeesItsOwnGpuAloneIsNextToThatOne) {
  const std::vector<Gpu> gpus = gpus_of(four_gpus());
  EXPECT_EQ(share({gpus[3]}, 0, 2, {}), "8-11 memory 1");
  EXPECT_EQ(share({gpus[3]}, 1, 2, {}), "12-15 memory 1");
}

TEST(GpuShare, FollowsTheFirstDeviceThatIsToldByName) {
  Options told;
  told.first_device = 2;
  EXPECT_EQ(share(gpus_of(four_gpus()), 0, 2, told), "8-11 memory 1");
}

TEST(GpuShare, OfMoreRanksThanGpusStartsAgainWithTheFirst) {
  EXPECT_EQ(share(gpus_of(four_gpus()), 4, 8, {}), "4,5 memory 0") << "the second share of the first node's four";
}

}  // namespace
}  // namespace ringrun::worker
