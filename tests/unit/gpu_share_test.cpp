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

using Lists = std::vector<std::vector<std::string>>;

std::string share(const Lists& gpus_of_process, std::size_t own) {
  const ProcessPlacement placement = place_process(four_gpus(), gpus_of_process, own);
  return format_cpu_list(placement.cpus) + " memory " + format_cpu_list(placement.memory_nodes);
}

/// Where each process sees all GPUs.
std::string share(int local_rank, int local_size, const Options& options) {
  Lists gpus_of_process;
  for (int rank = 0; rank < local_size; ++rank) {
    gpus_of_process.push_back(gpus_taken(gpus_of(four_gpus()), rank, options));
  }
  return share(gpus_of_process, static_cast<std::size_t>(local_rank));
}

TEST(GpuShare, IsWhatRingrunGivesTheRankOfTheSameGpu) {
  const HostPlacement host = resolve_placement(four_gpus(), gpus_of(four_gpus()), 4, {});
  for (int rank = 0; rank < 4; ++rank) {
    const RankPlacement& placed = host.ranks[static_cast<std::size_t>(rank)];
    EXPECT_EQ(share(rank, 4, {}), format_cpu_list(placed.cpus) + " memory " + format_cpu_list(placed.memory_nodes));
  }
  EXPECT_EQ(share(1, 4, {}), "4-7 memory 0");
  EXPECT_EQ(share(2, 4, {}), "8-11 memory 1");
}

TEST(GpuShare, OfAProcessWithSeveralGpusIsThatOfAllOfThem) {
  Options two;
  two.gpus = 2;
  EXPECT_EQ(share(1, 2, two), "8-15 memory 1");
  two.threads = 2;
  EXPECT_EQ(share(0, 1, two), "0-15 memory 0,1");
}

TEST(GpuShare, OfProcessesThatSeeTheirOwnGpusAloneIsNextToThese) {
  const std::vector<Gpu> gpus = gpus_of(four_gpus());
  Lists taken;
  for (const std::size_t gpu : {0, 2, 3}) {
    taken.push_back(gpus_taken({gpus[gpu]}, static_cast<int>(taken.size()), {}));
  }
  EXPECT_EQ(share(taken, 0), "0-7 memory 0") << "the others are elsewhere";
  EXPECT_EQ(share(taken, 1), "8-11 memory 1");
  EXPECT_EQ(share(taken, 2), "12-15 memory 1");
}

TEST(GpuShare, OfAProcessThatIsShownAsManyGpusAsItNeedsIsNextToThese) {
  const std::vector<Gpu> gpus = gpus_of(four_gpus());
  Options two;
  two.gpus = 2;
  EXPECT_EQ(gpus_taken({gpus[2], gpus[3]}, 1, two), (std::vector<std::string>{"0000:81:00.0", "0000:82:00.0"}));
}

TEST(GpuShare, FollowsTheFirstDeviceThatIsToldByName) {
  Options told;
  told.first_device = 2;
  EXPECT_EQ(share(0, 2, told), "8-11 memory 1");
}

TEST(GpuShare, OfMoreRanksThanGpusStartsAgainWithTheFirst) {
  EXPECT_EQ(share(4, 8, {}), "4,5 memory 0") << "the second share of the first node's four";
}

TEST(GpuShare, LeavesOutProcessesThatTakeNone) { EXPECT_EQ(share({{}, {"0000:01:00.0"}}, 1), "0-7 memory 0"); }

}  // namespace
}  // namespace ringrun::worker
