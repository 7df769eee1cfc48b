#include "worker/sweep/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "worker/report/sample_lines.hpp"

namespace ringrun::worker {
namespace {

using testing::HasSubstr;

/// Of three ranks, of which the last comes `late` seconds after the others in every iteration and is the only one that
/// does not wait: the operation itself takes 10 us.
Iterations late_rank(double late) {
  Iterations iterations;
  for (int rank = 0; rank < 3; ++rank) iterations.own.push_back({rank, {}, {}});
  for (int i = 0; i < 20; ++i) {
    const double first = 1000 + i * 1e-3;
    for (RankSpans& spans : iterations.own) {
      spans.begin.push_back(spans.rank == 2 ? first + late : first);
      spans.end.push_back(first + late + 10e-6);
    }
    iterations.earliest.push_back(first);
    iterations.latest.push_back(first + late);
    iterations.longest.push_back(late + 10e-6);
  }
  return iterations;
}

Sample sample_of_all(const Iterations& iterations) {
  Sample sample = sample_of(iterations, {});
  sample.ranks = rank_samples(iterations, "b");
  return sample;
}

TEST(Sample, FindsTheLateRankThatHasTheShortestTimeInside) {
  const Sample sample = sample_of_all(late_rank(50e-6));
  EXPECT_NEAR(sample.ranks[0].inside.p50, 60e-6, 1e-9);
  EXPECT_NEAR(sample.ranks[2].inside.p50, 10e-6, 1e-9);
  EXPECT_NEAR(sample.ranks[2].median_late, 50e-6, 1e-9);
  EXPECT_EQ(sample.ranks[2].last_in_share, 1);
  EXPECT_NEAR(sample.median_skew, 50e-6, 1e-9);
  ASSERT_NE(straggler_of(sample), nullptr);
  EXPECT_EQ(straggler_of(sample)->rank, 2);
}

TEST(Sample, NamesNobodyBelowTheClocksErrorOrATenthOfTheOperation) {
  Sample sample = sample_of_all(late_rank(50e-6));
  sample.clock_error = 30e-6;
  EXPECT_EQ(straggler_of(sample), nullptr);
  EXPECT_EQ(straggler_of(sample_of_all(late_rank(0.9e-6))), nullptr);
  sample.clock_error = 0;
  sample.ranks.resize(1);
  EXPECT_EQ(straggler_of(sample), nullptr);
}

TEST(Sample, GrowsUntilItsMedianIsKnownOrTheLimitIsReached) {
  SampleLimits limits;
  EXPECT_EQ(more_iterations({}, 20, limits), 20);
  EXPECT_EQ(more_iterations(std::vector<double>(20, 1e-6), 20, limits), 0);
  std::vector<double> spread;
  for (int i = 0; i < 20; ++i) spread.push_back(i % 2 == 0 ? 1e-6 : 2e-6);
  EXPECT_EQ(more_iterations(spread, 20, limits), 10);
  limits.most_iterations = 25;
  EXPECT_EQ(more_iterations(spread, 20, limits), 5);
  limits.most_iterations = 20;
  EXPECT_EQ(more_iterations(spread, 20, limits), 0);
  limits = {};
  limits.most_seconds = 34e-6;  // 30 are gone, and an iteration takes 1.5
  EXPECT_EQ(more_iterations(spread, 20, limits), 2);
  limits.most_seconds = 31e-6;
  EXPECT_EQ(more_iterations(spread, 20, limits), 0);
}

TEST(Sample, IsTooSmallToTellBelowSix) {
  EXPECT_EQ(median_error_of({1, 1, 1, 1, 1}), 1);
  EXPECT_EQ(median_error_of({1, 1, 1, 1, 1, 1}), 0);
  EXPECT_DOUBLE_EQ(median_error_of({1, 1, 1, 2, 3, 3, 3}), 0.5);
}

TEST(Sample, IsToldInLinesThatNameTheStraggler) {
  std::ostringstream out;
  print_sample(out, "in-place", sample_of_all(late_rank(50e-6)));
  EXPECT_THAT(out.str(),
              HasSubstr("#      in-place: min 60.00 p50 60.00 p95 60.00 p99 60.00 max 60.00 us, CV 0.0 %, 20 "
                        "iterations\n"));
  EXPECT_THAT(out.str(), HasSubstr("#   rank   2 on b: min 10.00 "));
  EXPECT_THAT(out.str(), HasSubstr("; arrives 50.00 us late, at worst 50.00, last in 100 %\n"));
  EXPECT_THAT(out.str(), HasSubstr("; straggler: rank 2 on b\n"));
  std::ostringstream even;
  print_sample(even, "in-place", sample_of_all(late_rank(0)));
  EXPECT_THAT(even.str(), HasSubstr("; no straggler\n"));
  std::ostringstream none;
  print_sample(none, "in-place", std::nullopt);
  EXPECT_EQ(none.str(), "");
}

}  // namespace
}  // namespace ringrun::worker
