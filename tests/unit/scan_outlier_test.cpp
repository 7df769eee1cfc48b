// What stands out of drawn measurements, and what must not.
#include "worker/scan/outlier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr double kUsual = 10;

/// Pairs of `usual` give or take `noise` as a share, times what `factor` says of the pair.
PairMatrix drawn(int nodes, double noise, unsigned seed, const std::function<double(int, int)>& factor) {
  std::mt19937 random(seed);
  PairMatrix matrix(nodes);
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) {
      const double share = 2 * static_cast<double>(random()) / static_cast<double>(std::mt19937::max()) - 1;
      matrix.set(a, b, {kUsual * (1 + noise * share) * factor(a, b), noise / 4});
    }
  }
  return matrix;
}

double alike(int, int) { return 1; }

TEST(SlowNodes, AreFoundHoweverManyNodesThereAre) {
  for (int nodes = 3; nodes <= 65; ++nodes) {
    const int slow = nodes / 2;
    const auto matrix = drawn(nodes, 0.05, static_cast<unsigned>(nodes),
                              [&](int a, int b) { return a == slow || b == slow ? 0.5 : 1; });
    const auto found = slow_nodes(matrix);
    ASSERT_THAT(found, ElementsAre(Field(&Outlier::node, slow))) << nodes << " nodes";
    EXPECT_NEAR(found[0].bandwidth, kUsual / 2, 0.05 * kUsual);
    EXPECT_NEAR(found[0].usual, kUsual, 0.05 * kUsual);
    EXPECT_THAT(slow_pairs(matrix, found), IsEmpty()) << nodes << " nodes";
  }
}

TEST(SlowNodes, AreNoneAmongNoise) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto matrix = drawn(2 + static_cast<int>(seed % 20), 0.07, seed, alike);
    EXPECT_THAT(slow_nodes(matrix), IsEmpty()) << "seed " << seed;
    EXPECT_THAT(slow_pairs(matrix, {}), IsEmpty()) << "seed " << seed;
  }
}

TEST(SlowNodes, AreNotThoseOfWhichOnePairIsSlow) {
  for (int nodes : {3, 4, 9}) {
    const auto matrix = drawn(nodes, 0.02, 1, [](int a, int b) { return a == 0 && b == 2 ? 0.4 : 1; });
    EXPECT_THAT(slow_nodes(matrix), IsEmpty()) << nodes << " nodes";
    const auto pairs = slow_pairs(matrix, {});
    ASSERT_THAT(pairs, testing::SizeIs(1)) << nodes << " nodes";
    EXPECT_EQ(pairs[0].node, 0);
    EXPECT_EQ(pairs[0].other, 2);
  }
}

TEST(SlowNodes, MayBeSeveralAndTheSlowestComesFirst) {
  const auto matrix = drawn(9, 0.02, 1, [](int a, int b) {
    if (a == 3 || b == 3) return 0.2;
    return a == 6 || b == 6 ? 0.5 : 1;
  });
  EXPECT_THAT(slow_nodes(matrix), ElementsAre(Field(&Outlier::node, 3), Field(&Outlier::node, 6)));
}

TEST(SlowNodes, AreNoneWhereHalfOfAllPairsGoTheLongWay) {
  // Two racks with a thin link between them: nobody stands out.
  const auto matrix = drawn(8, 0.02, 1, [](int a, int b) { return a % 2 == b % 2 ? 1 : 0.5; });
  EXPECT_THAT(slow_nodes(matrix), IsEmpty());
  EXPECT_THAT(slow_pairs(matrix, {}), IsEmpty());
}

TEST(SlowNodes, AreNoneWhereTheMeasurementsAreTooUncertain) {
  auto matrix = drawn(4, 0, 1, [](int a, int b) { return a == 1 || b == 1 ? 0.6 : 1; });
  EXPECT_THAT(slow_nodes(matrix), ElementsAre(Field(&Outlier::node, 1)));
  for (int a = 0; a < 4; ++a)
    for (int b = a + 1; b < 4; ++b) matrix.set(a, b, {matrix.at(a, b)->bandwidth, 0.5});
  EXPECT_THAT(slow_nodes(matrix), IsEmpty());
}

TEST(SlowNodes, AreNoneOfTwo) {
  PairMatrix matrix(2);
  matrix.set(0, 1, {1, 0});
  EXPECT_THAT(slow_nodes(matrix), IsEmpty());
  EXPECT_THAT(slow_pairs(matrix, {}), IsEmpty());
}

TEST(SlowNodes, AreFoundAmongPairsOfWhichSomeWereNotMeasured) {
  PairMatrix matrix(4);
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 3}, {1, 3}}) matrix.set(a, b, {kUsual, 0});
  matrix.set(0, 2, {1, 0});
  EXPECT_THAT(slow_nodes(matrix), IsEmpty()) << "one pair says nothing of its ends";
  matrix.set(2, 3, {1, 0});
  EXPECT_THAT(slow_nodes(matrix), ElementsAre(Field(&Outlier::node, 2)));
}

TEST(BrakingNodes, AreThoseWithoutWhichAllOthersAreFaster) {
  EXPECT_THAT(braking_nodes({5, 0.01}, {{5.1, 0.01}, {9.8, 0.01}, {4.9, 0.01}, {5, 0.01}}),
              ElementsAre(Field(&Outlier::node, 1)));
  EXPECT_THAT(braking_nodes({5, 0.01}, {{5.1, 0.01}, {5.4, 0.01}, {4.9, 0.01}}), IsEmpty());
  EXPECT_THAT(braking_nodes({5, 0.5}, {{5.1, 0.5}, {8, 0.5}, {4.9, 0.5}}), IsEmpty())
      << "within what both may be wrong";
  EXPECT_THAT(braking_nodes({9.6, 0.01}, {{5.1, 0.01}, {9.8, 0.01}, {4.9, 0.01}}), IsEmpty())
      << "no faster than with all";
}

}  // namespace
}  // namespace ringrun::worker
