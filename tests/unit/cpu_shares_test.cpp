#include "lib/placement/cpu_shares.hpp"

#include <gtest/gtest.h>

#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

/// Cores of one thread, numbered from `first`.
NumaNode node(int index, int first, int cores) {
  NumaNode node;
  node.index = index;
  for (int core = first; core < first + cores; ++core) node.cores.push_back({{core}});
  return node;
}

/// "0-3 | 4-7": a share each.
std::string shares(const std::vector<NumaNode>& nodes, const std::vector<std::vector<int>>& nodes_of_rank) {
  std::string text;
  for (const std::vector<int>& cpus : share_cpus(nodes, nodes_of_rank)) {
    text += (text.empty() ? "" : " | ") + format_cpu_list(cpus);
  }
  return text;
}

TEST(CpuShares, OfARankWithMoreChoiceAreWhatThoseWithLessLeave) {
  EXPECT_EQ(shares({node(0, 0, 4), node(1, 4, 4)}, {{0, 1}, {1}}), "0-3 | 4-7");
  EXPECT_EQ(shares({node(0, 0, 4), node(1, 4, 4)}, {{0}, {0, 1}, {0}}), "0,1 | 4-7 | 2,3");
}

TEST(CpuShares, AreEvenAcrossNodesOfDifferentSize) {
  EXPECT_EQ(shares({node(0, 0, 6), node(1, 6, 2)}, {{0}, {0, 1}}), "0-3 | 4-7");
  EXPECT_EQ(shares({node(0, 0, 6), node(1, 6, 2)}, {{0}, {1}, {0, 1}}), "0-2 | 6,7 | 3-5");
  EXPECT_EQ(shares({node(0, 0, 6), node(1, 6, 6)}, {{0, 1}, {0, 1}, {0, 1}}), "0-3 | 4-7 | 8-11");
}

TEST(CpuShares, OfRanksThatMustShareLeaveTheOthersAlone) {
  EXPECT_EQ(shares({node(0, 0, 2), node(1, 2, 4)}, {{0}, {0, 1}, {0}}), "0,1 | 2-5 | 0,1");
  EXPECT_EQ(shares({node(0, 0, 2), node(1, 2, 4)}, {{0}, {0}, {0}, {1}}), "0,1 | 0,1 | 0,1 | 2-5");
}

TEST(CpuShares, OfRanksThatMustShareUseEveryProcessorOfUnevenCores) {
  NumaNode uneven = node(0, 0, 0);
  uneven.cores = {{{0, 1}}, {{2}}};
  EXPECT_EQ(shares({uneven}, {{0}, {0}}), "0,1 | 0-2");
  uneven.cores = {{{0, 1}}, {{2, 3}}, {{4}}, {{5}}, {{6}}, {{7}}};
  EXPECT_EQ(shares({uneven}, std::vector<std::vector<int>>(8, {0})), "0,1 | 2,3 | 4,5 | 6,7 | 0,1 | 2,3 | 4,5 | 6,7");
}

TEST(CpuShares, AreWholeCoresWhereverThereAreEnough) {
  NumaNode wide = node(0, 0, 0);
  wide.cores = {{{0, 8}}, {{1, 9}}, {{2, 10}}};
  EXPECT_EQ(shares({wide}, {{0}, {0}}), "0,8 | 1,2,9,10");
  EXPECT_EQ(shares({wide}, {{0}, {0}, {0}}), "0,8 | 1,9 | 2,10");
}

TEST(CpuShares, OfRanksWithTheSameNodesDifferByACoreAtMost) {
  for (int cores = 1; cores <= 24; ++cores) {
    NumaNode node;
    for (int core = 0; core < cores; ++core) node.cores.push_back({{2 * core, 2 * core + 1}});
    for (std::size_t ranks = 1; ranks <= 12; ++ranks) {
      std::size_t least = 1000;
      std::size_t most = 0;
      for (const auto& cpus : share_cpus({node}, std::vector<std::vector<int>>(ranks, {0}))) {
        least = std::min(least, cpus.size());
        most = std::max(most, cpus.size());
      }
      EXPECT_LE(most - least, 2u) << cores << " cores, " << ranks << " ranks";
    }
  }
}

}  // namespace
}  // namespace ringrun
