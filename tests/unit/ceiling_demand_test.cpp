// What an operation must send between nodes, whatever its algorithm.
#include "worker/ceiling/demand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringrun::worker {
namespace {

using testing::DoubleEq;
using testing::Each;
using testing::ElementsAre;

Operation operation(CollectiveKind kind, int ranks, std::int64_t bytes = 4096) {
  Operation like;
  like.kind = kind;
  like.ranks = ranks;
  like.root = description_of(kind).has_root ? 0 : -1;
  return operation_of(like, bytes);
}

std::vector<double> least(CollectiveKind kind, const std::vector<int>& nodes, int count) {
  return demand_of(operation(kind, static_cast<int>(nodes.size())), nodes, count, Movement::kLeast).of_node;
}

TEST(Demand, IsNothingWithinANode) {
  for (CollectiveKind kind : all_collectives()) {
    const Demand demand = demand_of(operation(kind, 4), {0, 0, 0, 0}, 1, Movement::kLeast);
    EXPECT_THAT(demand.of_node, Each(0.0)) << name_of(kind);
    EXPECT_EQ(demand.of_all, 0) << name_of(kind);
  }
}

TEST(Demand, OfAnAllReduceIsTwiceTheOthersShareHoweverManyRanksANodeHas) {
  for (const std::vector<int>& nodes : {std::vector<int>{0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}, {0, 1, 0, 1}}) {
    const Demand demand =
        demand_of(operation(CollectiveKind::kAllReduce, static_cast<int>(nodes.size())), nodes, 2, Movement::kLeast);
    EXPECT_THAT(demand.of_node, ElementsAre(4096, 4096));
    EXPECT_EQ(demand.of_all, 2 * 4096);
  }
  EXPECT_EQ(demand_of(operation(CollectiveKind::kAllReduce, 4), {0, 1, 2, 3}, 4, Movement::kLeast).of_all, 6 * 4096);
}

TEST(Demand, AroundARingCountsRanksAndNotNodes) {
  const std::vector<int> nodes{0, 0, 0, 0, 1, 1, 1, 1};
  EXPECT_THAT(demand_of(operation(CollectiveKind::kAllReduce, 8), nodes, 2, Movement::kRing).of_node,
              Each(DoubleEq(2 * 7.0 / 8 * 4096)));
  EXPECT_THAT(demand_of(operation(CollectiveKind::kAllGather, 8), nodes, 2, Movement::kRing).of_node,
              Each(DoubleEq(7.0 / 8 * 4096)));
}

TEST(Demand, WithSwitchesThatAddUpIsTheDataOnce) {
  const Demand demand = demand_of(operation(CollectiveKind::kAllReduce, 4), {0, 1, 2, 3}, 4, Movement::kInNetwork);
  EXPECT_THAT(demand.of_node, Each(4096));
  EXPECT_EQ(demand.of_all, 0);
}

TEST(Demand, OfExchangesIsWhatEachRankSendsToRanksElsewhere) {
  // Two ranks of four on each: each sends half of its 4 KiB away.
  EXPECT_THAT(least(CollectiveKind::kAllToAll, {0, 0, 1, 1}, 2), ElementsAre(4096, 4096));
  EXPECT_THAT(least(CollectiveKind::kAllToAll, {0, 1, 2, 3}, 4), Each(3072));
  // Block by block one rank of a node has its neighbour elsewhere, in turn both have.
  EXPECT_THAT(least(CollectiveKind::kSendReceive, {0, 0, 1, 1}, 2), ElementsAre(4096, 4096));
  EXPECT_THAT(least(CollectiveKind::kSendReceive, {0, 1, 0, 1}, 2), ElementsAre(8192, 8192));
  // Of 4 ranks' parts of 1 KiB the edge 2 leads elsewhere: two ranks send two parts each.
  EXPECT_THAT(least(CollectiveKind::kHypercube, {0, 0, 1, 1}, 2), ElementsAre(4096, 4096));
}

TEST(Demand, OfAnUnevenAllToAllAddsUpToWhatTheRanksExchange) {
  const Operation uneven = operation(CollectiveKind::kAllToAllV, 4, 65536);
  const auto parts = uneven_parts(uneven, 0);
  const double away = static_cast<double>((parts.counts[1] + parts.counts[2] + parts.counts[3]) * sizeof(float));
  EXPECT_EQ(demand_of(uneven, {0, 1, 1, 1}, 2, Movement::kLeast).of_node[0], away);
}

TEST(Demand, OfGatheringIsAtTheRoot) {
  EXPECT_THAT(least(CollectiveKind::kGather, {0, 0, 1, 2}, 3), ElementsAre(2048, 1024, 1024));
  EXPECT_THAT(least(CollectiveKind::kScatter, {0, 1, 2, 3}, 4), ElementsAre(3072, 1024, 1024, 1024));
  EXPECT_THAT(least(CollectiveKind::kAllGather, {0, 0, 0, 1}, 2), ElementsAre(3072, 3072));
  EXPECT_THAT(least(CollectiveKind::kBroadcast, {0, 1}, 2), ElementsAre(4096, 4096));
}

}  // namespace
}  // namespace ringrun::worker
