// What stands out of drawn measurements, and what must not.
#include "worker/scan/outlier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "worker/scan/scan.hpp"

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

constexpr double kUsual = 10;

/// Repeats of every pair, of `usual` give or take `noise` as a share, times what `factor` says of the pair.
PairMatrix drawn(int nodes, double noise, unsigned seed, const std::function<double(int, int)>& factor) {
  std::mt19937 random(seed);
  PairMatrix matrix(nodes);
  for (int repeat = 0; repeat < kPasses; ++repeat) {
    for (int a = 0; a < nodes; ++a) {
      for (int b = a + 1; b < nodes; ++b) {
        const double share = 2 * static_cast<double>(random()) / static_cast<double>(std::mt19937::max()) - 1;
        matrix.add(a, b, kUsual * (1 + noise * share) * factor(a, b));
      }
    }
  }
  return matrix;
}

/// As often as a scan does.
ScanValue always(double bandwidth) { return ScanValue(std::vector<double>(kPasses, bandwidth)); }

void set(PairMatrix& matrix, int a, int b, double bandwidth) {
  for (int repeat = 0; repeat < kPasses; ++repeat) matrix.add(a, b, bandwidth);
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

TEST(SlowNodes, AreNoneWhereTheirBestIsAsGoodAsOthersOftenAre) {
  const auto matrix = [](double best_of_slow) {
    PairMatrix made = drawn(4, 0, 1, [](int a, int b) { return a == 1 || b == 1 ? 0.5 : 1; });
    PairMatrix repeated(4);
    for (int a = 0; a < 4; ++a) {
      for (int b = a + 1; b < 4; ++b) {
        for (int repeat = 1; repeat < kPasses; ++repeat) repeated.add(a, b, made.at(a, b).median());
        repeated.add(a, b, a == 1 || b == 1 ? best_of_slow : 4);
      }
    }
    return repeated;
  };
  EXPECT_THAT(slow_nodes(matrix(9)), ElementsAre(Field(&Outlier::node, 1))) << "the others were below that once";
  EXPECT_THAT(slow_nodes(matrix(11)), IsEmpty());
}

TEST(SlowNodes, AreNotCalledSoAfterFewRepeats) {
  PairMatrix matrix(4);
  for (std::size_t repeat = 1; repeat <= kFewestRepeats; ++repeat) {
    EXPECT_THAT(slow_nodes(matrix), IsEmpty()) << repeat - 1 << " repeats";
    EXPECT_THAT(slow_pairs(matrix, {}), IsEmpty()) << repeat - 1 << " repeats";
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b) matrix.add(a, b, a == 2 || b == 2 ? 1 : 10);
  }
  EXPECT_THAT(slow_nodes(matrix), ElementsAre(Field(&Outlier::node, 2)));
}

TEST(SlowNodes, AreNoneOfTwo) {
  PairMatrix matrix(2);
  set(matrix, 0, 1, 1);
  EXPECT_THAT(slow_nodes(matrix), IsEmpty());
  EXPECT_THAT(slow_pairs(matrix, {}), IsEmpty());
}

TEST(SlowNodes, AreFoundAmongPairsOfWhichSomeWereNotMeasured) {
  PairMatrix matrix(4);
  for (const auto& [a, b] : {std::pair{0, 1}, {0, 3}, {1, 3}}) set(matrix, a, b, kUsual);
  set(matrix, 0, 2, 1);
  EXPECT_THAT(slow_nodes(matrix), IsEmpty()) << "one pair says nothing of its ends";
  set(matrix, 2, 3, 1);
  EXPECT_THAT(slow_nodes(matrix), ElementsAre(Field(&Outlier::node, 2)));
}

TEST(BrakingNodes, AreThoseWithoutWhichAllOthersAreFaster) {
  EXPECT_THAT(braking_nodes(always(5), {always(5.1), always(9.8), always(4.9), always(5)}),
              ElementsAre(Field(&Outlier::node, 1)));
  EXPECT_THAT(braking_nodes(always(5), {always(5.1), always(5.4), always(4.9)}), IsEmpty());
  EXPECT_THAT(braking_nodes(always(9.6), {always(5.1), always(9.8), always(4.9)}), IsEmpty())
      << "no faster than with all";
  EXPECT_THAT(braking_nodes(ScanValue({5, 5, 5, 5, 5, 5, 9.9}), {always(5.1), always(9.8), always(4.9)}), IsEmpty())
      << "all together were as fast once";
  EXPECT_THAT(braking_nodes(always(5), {always(5.1), ScanValue({9.8, 9.8}), always(4.9)}), IsEmpty())
      << "too few repeats";
}

}  // namespace
}  // namespace ringrun::worker
