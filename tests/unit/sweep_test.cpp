#include "worker/sweep/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <stdexcept>

#include "lib/host/host_name.hpp"
#include "tests/unit/sweep_fixture.hpp"
#include "worker/sweep/sizes.hpp"

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST_F(SweepTest, MeasuresEverySizeOutOfPlaceAndInPlaceAfterOneUntimedOperation) {
  plan.iterations = 10;
  plan.aggregate = 3;
  plan.warmups = 2;
  const auto rows = sweep();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].operation.bytes(), 64u);
  EXPECT_EQ(rows[0].operation.layout.count, 16u);
  EXPECT_EQ(rows[1].operation.bytes(), 128u);
  // Warm-ups once for the first and the last size, then for each placement one untimed and 10 × 3 timed.
  EXPECT_EQ(collective.operations[64], 2 + 2 * (1 + 30));
  EXPECT_EQ(collective.operations[128], 2 + 2 * (1 + 30));
  EXPECT_EQ(summary.measurements, 4);
}

TEST_F(SweepTest, RunsEveryTypeWithEveryOperation) {
  plan.types = {DataType::kInt8, DataType::kDouble};
  plan.ops = {ReduceOp::kMin, ReduceOp::kMax};
  const auto rows = sweep();
  ASSERT_THAT(rows, SizeIs(8));
  EXPECT_EQ(rows[0].operation.type, DataType::kInt8);
  EXPECT_EQ(rows[2].operation.op, ReduceOp::kMax);
  EXPECT_EQ(rows[7].operation.type, DataType::kDouble);
}

TEST_F(SweepTest, LeavesOutATypeWithAnOperationThatItDoesNotGoWith) {
  plan.types = {DataType::kInt8, DataType::kDouble};
  plan.ops = {ReduceOp::kMin, ReduceOp::kMax};
  plan.left_out = {{DataType::kInt8, ReduceOp::kMax}};
  const auto rows = sweep();
  ASSERT_THAT(rows, SizeIs(6));
  EXPECT_EQ(rows[2].operation.type, DataType::kDouble);
  EXPECT_EQ(rows[2].operation.op, ReduceOp::kMin);
}

TEST_F(SweepTest, ChecksAsOftenAsAskedAndWithNewDataEachTime) {
  plan.checks = 3;
  sweep();
  EXPECT_THAT(collective.seeds, SizeIs(2 * 2 * 3));
  sweep();
  EXPECT_THAT(collective.seeds, SizeIs(2 * 2 * 2 * 3));
}

TEST_F(SweepTest, ChecksNothingWhereNoneIsAskedFor) {
  plan.checks = 0;
  const auto rows = sweep();
  EXPECT_THAT(collective.seeds, SizeIs(0));
  EXPECT_FALSE(rows[0].out_of_place.wrong.has_value());
}

TEST_F(SweepTest, CountsAndLocatesAWrongElement) {
  collective.wrong_at = 128;
  const auto rows = sweep();
  EXPECT_EQ(summary.wrong, 1u);
  EXPECT_EQ(rows[0].in_place.wrong, 0u);
  EXPECT_EQ(rows[1].out_of_place.wrong, 0u);
  EXPECT_EQ(rows[1].in_place.wrong, 1u);
  ASSERT_THAT(rows[1].in_place.wrong_locations, SizeIs(1));
  EXPECT_EQ(rows[1].in_place.wrong_locations[0],
            "rank 2 on " + short_host_name(host_name()) +
                ": 1 wrong in the all-reduce of 128 bytes (float sum, in-place), first at element 5 of 32: expected 7, "
                "got 8");
}

TEST_F(SweepTest, NamesWrongAndLateRanksByTheirNumbersInTheJob) {
  // The second process of the second of two groups, which take turns: processes 1 and 3, with two ranks each.
  team.own = {3, 4, 1, 2};
  team.others = {""};
  plan.sizes = {128};
  collective.wrong_at = 128;
  const Row row = sweep()[0];
  ASSERT_THAT(row.in_place.wrong_locations, SizeIs(1));
  // Rank 2 of its group is the first of process 3.
  EXPECT_THAT(row.in_place.wrong_locations[0], testing::StartsWith("rank 6 on "));
  EXPECT_THAT(row.in_place.wrong_locations[0], HasSubstr(" (group 0): 1 wrong in the all-reduce"));
  team.others = {};
  plan.samples = true;
  collective.first_rank = 2;
  const Sample sample = *sweep()[0].in_place.sample;
  ASSERT_THAT(sample.ranks, SizeIs(2));
  EXPECT_EQ(sample.ranks[0].rank, 6);
  EXPECT_EQ(sample.ranks[1].rank, 7);
  EXPECT_EQ(straggler_of(sample)->rank, 7);
}

TEST_F(SweepTest, ChecksTheTimedOperationsToo) {
  plan.checks_timed = true;
  collective.wrong_in_timed = 64;
  const auto rows = sweep();
  EXPECT_THAT(collective.seeds, SizeIs(2 * 2 * 2));
  EXPECT_EQ(rows[0].out_of_place.wrong, 1u);
  EXPECT_EQ(rows[0].in_place.wrong, 0u);
  EXPECT_EQ(summary.wrong, 1u);
  ASSERT_THAT(rows[0].out_of_place.wrong_locations, SizeIs(1));
  EXPECT_THAT(rows[0].out_of_place.wrong_locations[0], HasSubstr("out-of-place) after timed iteration 9, first at"));
}

TEST_F(SweepTest, DividesTheTimeByAllThatItWasTakenOver) {
  plan.iterations = 10;
  plan.aggregate = 3;
  plan.graph_launches = 4;
  const auto rows = sweep();
  // Two threads, one of which takes three times as long.
  EXPECT_DOUBLE_EQ(rows[0].out_of_place.seconds, 2e-6);
  EXPECT_DOUBLE_EQ(rows[0].out_of_place.enqueued_seconds, 0.5e-6);
  EXPECT_EQ(collective.last_plan.graph_launches, 4);
  plan.across = TimeAcross::kMax;
  EXPECT_DOUBLE_EQ(sweep()[0].out_of_place.seconds, 3e-6);
  plan.across = TimeAcross::kMin;
  EXPECT_DOUBLE_EQ(sweep()[0].out_of_place.seconds, 1e-6);
}

TEST_F(SweepTest, KeepsTheTimesOfIterationsAndCountsNoneThatIsLeftOut) {
  plan.iterations = 4;
  plan.aggregate = 2;
  plan.each_iteration = true;
  plan.skipped_iterations = 1;
  plan.blocking = Blocking::kWait;
  collective.iteration_times = {9e-6, 2e-6, 4e-6, 6e-6};
  team.values_of_others = {{1e-6, 2e-6, 3e-6, 4e-6}};
  const auto rows = sweep();
  const Measurement& measured = rows[0].out_of_place;
  EXPECT_THAT(measured.iterations, ElementsAre(4.5e-6, 1e-6, 2e-6, 3e-6));
  EXPECT_THAT(measured.counted_iterations(), ElementsAre(1e-6, 2e-6, 3e-6));
  EXPECT_DOUBLE_EQ(measured.statistics().max, 3e-6);
  EXPECT_THAT(measured.iterations_of_processes, ElementsAre(measured.iterations, ElementsAre(1e-6, 2e-6, 3e-6, 4e-6)));
  EXPECT_EQ(row_from(to_text(rows[0])).out_of_place.iterations_of_processes, measured.iterations_of_processes);
  EXPECT_TRUE(collective.last_plan.each_iteration);
  EXPECT_EQ(collective.last_plan.blocking, Blocking::kWait);
}

TEST_F(SweepTest, SamplesEachPlacementBesideItsMeasurement) {
  plan.samples = true;
  plan.iterations = 10;
  plan.aggregate = 5;
  plan.sizes = {64};
  const auto rows = sweep();
  ASSERT_TRUE(rows[0].in_place.sample);
  const Sample& sample = *rows[0].in_place.sample;
  EXPECT_EQ(sample.iterations, 10);
  EXPECT_TRUE(sample.settled);
  EXPECT_NEAR(sample.inside.p50, 5e-6, 1e-9) << "of one operation";
  ASSERT_THAT(sample.ranks, SizeIs(2));
  EXPECT_NEAR(sample.ranks[1].median_late, 5e-6, 1e-9);
  // Each sample leaves out the first of its iterations.
  EXPECT_EQ(collective.operations[64], 2 + 2 * (1 + 10 * 5 + 11 * 5));
}

TEST_F(SweepTest, HasARowOfEveryGroup) {
  Row other;
  other.group = 1;
  other.out_of_place.wrong = 5;
  team.others = {to_text(other), ""};
  plan.sizes = {64};
  const auto rows = sweep();
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_EQ(rows[0].group, 0);
  EXPECT_EQ(rows[1].group, 1);
  EXPECT_EQ(summary.wrong, 5u);
}

TEST_F(SweepTest, TakesEveryRootInTurn) {
  plan.kind = CollectiveKind::kBroadcast;
  plan.roots = {0, 1, 2, 3};
  plan.sizes = {64};
  const auto rows = sweep();
  ASSERT_THAT(rows, SizeIs(4));
  EXPECT_EQ(rows[2].operation.root, 2);
  EXPECT_THAT(collective.roots, ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
}

TEST_F(SweepTest, DoesNotCheckInPlaceWhatIsNotDefinedThere) {
  plan.kind = CollectiveKind::kAllToAll;
  const auto rows = sweep();
  EXPECT_EQ(rows[0].out_of_place.wrong, 0u);
  EXPECT_FALSE(rows[0].in_place.wrong.has_value());
}

TEST_F(SweepTest, CombinesTimesAsAsked) {
  plan.across = TimeAcross::kMax;
  sweep();
  EXPECT_EQ(team.combined_how, TimeAcross::kMax);
}

TEST(Deadline, GrowsWithTheDataAndWithWhatOneOperationTook) {
  SweepPlan plan;
  plan.timeout = 60;
  const Operation small = operation_of({}, 8);
  const Operation large = operation_of({}, std::int64_t{4} << 30);
  EXPECT_NEAR(deadline_for(plan, small, 1, 0), 60, 0.01);
  // 4 GiB over a network of 25 MB/s and back.
  EXPECT_NEAR(deadline_for(plan, large, 1, 0), 60 + 343.6, 0.1);
  // 20 operations of which one took 3 s.
  EXPECT_NEAR(deadline_for(plan, large, 20, 3), 60 + 240, 0.1);
  plan.timeout = 0;
  EXPECT_EQ(deadline_for(plan, large, 20, 3), 0);
}

TEST_F(SweepTest, GivesAnOperationTheTimeThatTheSlowestProcessNeeds) {
  plan.sizes = {64};
  plan.timeout = 0.1;
  collective.timed_run_lasts = std::chrono::milliseconds(600);
  team.largest_of_others = 10;
  std::atomic<bool> expired = false;
  Watch strict{{[](const WatchedPhase&) {}, [] {}, [&](const WatchedPhase&, Watch&) { expired = true; }}};
  run_sweep(plan, collective, team, strict, seed, [](const Row&) {});
  EXPECT_FALSE(expired);
}

TEST(SweepSizes, MultiplyOrAddUpToTheLargest) {
  EXPECT_THAT(sweep_sizes(8, 64, 1, 2), ElementsAre(8, 16, 32, 64));
  EXPECT_THAT(sweep_sizes(8, 63, 1, 2), ElementsAre(8, 16, 32));
  EXPECT_THAT(sweep_sizes(10, 30, 10, 1), ElementsAre(10, 20, 30));
  EXPECT_THAT(sweep_sizes(10, 29, 10, 1), ElementsAre(10, 20));
  EXPECT_THAT(sweep_sizes(0, 2, 1, 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(sweep_sizes(7, 7, 0, 1), ElementsAre(7));
  EXPECT_THAT(sweep_sizes(0, 0, 1, 2), ElementsAre(0));
}

TEST(SweepSizes, EndAtTheLargestNumberInsteadOfOverflowing) {
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_THAT(sweep_sizes(most - 1, most, 5, 1), ElementsAre(most - 1));
  EXPECT_EQ(sweep_sizes(1, most, 1, 2).size(), 63u);
}

TEST(SweepSizes, RefuseASequenceWithoutAnEnd) {
  EXPECT_THROW(sweep_sizes(0, 8, 1, 2), std::invalid_argument);
  EXPECT_THROW(sweep_sizes(8, 16, 0, 1), std::invalid_argument);
}

}  // namespace
}  // namespace ringrun::worker
