#include "worker/sweep/statistics.hpp"

#include <gtest/gtest.h>

#include "worker/sweep/buffer_slice.hpp"
#include "worker/sweep/row.hpp"
#include "worker/sweep/timed_check.hpp"
#include "worker/sweep/timed_loop.hpp"

namespace ringrun::worker {
namespace {

TEST(Statistics, AreThoseOfNcclTests) {
  std::vector<double> sample;
  for (int value = 100; value >= 1; --value) sample.push_back(value);
  const Statistics statistics = statistics_of(sample);
  EXPECT_EQ(statistics.min, 1);
  EXPECT_EQ(statistics.max, 100);
  EXPECT_EQ(statistics.average, 50.5);
  EXPECT_EQ(statistics.p50, 51);
  EXPECT_EQ(statistics.p95, 95);
  EXPECT_EQ(statistics.p99, 99);
  EXPECT_NEAR(statistics.deviation, 28.866, 0.001);
  EXPECT_NEAR(statistics.variation(), 57.16, 0.01);
}

TEST(Statistics, OfOneValueOrNoneHaveNoSpread) {
  EXPECT_EQ(statistics_of({7}).p99, 7);
  EXPECT_EQ(statistics_of({7}).variation(), 0);
  EXPECT_EQ(statistics_of({}).max, 0);
  EXPECT_EQ(statistics_of({}).variation(), 0);
}

TEST(TimedLoop, RunsAsOftenAsPlanned) {
  RunPlan plan;
  plan.iterations = 5;
  plan.aggregate = 3;
  std::vector<int> iterations;
  const auto once = [&](int iteration) { iterations.push_back(iteration); };
  const RunTimes times = run_in_one(plan, once);
  EXPECT_EQ(iterations.size(), 15u);
  EXPECT_EQ(iterations.back(), 4);
  EXPECT_EQ(times.total.size(), 1u);
  EXPECT_GE(times.total.front(), 0);
  EXPECT_TRUE(times.iterations.empty());
}

TEST(TimedLoop, TakesTheTimeOfEveryIterationAndTheyAddUp) {
  RunPlan plan;
  plan.iterations = 5;
  plan.each_iteration = true;
  const RunTimes times = run_step_by_step(plan, [](int) {});
  ASSERT_EQ(times.iterations.size(), 5u);
  double sum = 0;
  for (double seconds : times.iterations) sum += seconds;
  EXPECT_NEAR(sum, times.total.front(), 1e-9);
}

TEST(TimedLoop, HasABarrierBehindEveryOperationWhereThePlanWantsIt) {
  RunPlan plan;
  plan.iterations = 2;
  plan.aggregate = 3;
  plan.blocking = Blocking::kWaitAndBarrier;
  std::string order;
  plan.barrier = [&] { order += 'b'; };
  run_step_by_step(plan, [&](int) { order += 'o'; });
  EXPECT_EQ(order, "obobobobobob");
}

TEST(TimedCheck, IsNotPossibleWhereAReductionRepeatsOnItsOwnResults) {
  Operation operation;
  RunPlan plan;
  plan.iterations = 8;
  EXPECT_FALSE(checks_results(operation, plan, 8)) << "not asked for";
  plan.checked_with = 1;
  EXPECT_TRUE(checks_results(operation, plan, 4));
  operation.in_place = true;
  EXPECT_TRUE(checks_results(operation, plan, 8)) << "each in a part of its own";
  EXPECT_FALSE(checks_results(operation, plan, 7));
  plan.aggregate = 2;
  EXPECT_FALSE(checks_results(operation, plan, 100)) << "aggregated operations share a part";
  operation.kind = CollectiveKind::kAllGather;
  EXPECT_TRUE(checks_results(operation, plan, 1));
}

TEST(TimedCheck, KeepsTheFirstPlaceAndTheIterationThatWroteIt) {
  WrongElements all;
  add_part(all, {2, 0, 0, "", ""}, 0);
  add_part(all, {2, 3, 7, "1", "9"}, last_iteration_of(1, 4, 20));
  add_part(all, {2, 5, 1, "4", "5"}, last_iteration_of(2, 4, 20));
  EXPECT_EQ(all.count, 8u);
  EXPECT_EQ(all.first_index, 7u);
  EXPECT_EQ(all.got, "9");
  EXPECT_EQ(all.iteration, 17);
  EXPECT_EQ(last_iteration_of(0, 1, 20), 19);
  EXPECT_EQ(last_iteration_of(3, 5, 20), 18);
}

TEST(BufferSlices, AreCountedByTheIterationsThatUseThem) {
  const BufferSlices slices(100, 30);
  EXPECT_EQ(slices.used_by(2), 2);
  EXPECT_EQ(slices.used_by(20), 3);
  EXPECT_EQ(slices.offset(2), 60u);
  EXPECT_EQ(BufferSlices(100, 0).used_by(20), 1);
  EXPECT_EQ(BufferSlices(std::size_t{1} << 40, 1).used_by(20), 20);
}

TEST(Row, ArrivesAsItWasSent) {
  Row sent;
  sent.group = 7;
  sent.operation.kind = CollectiveKind::kGather;
  sent.operation.type = DataType::kHalf;
  sent.operation.op = ReduceOp::kMax;
  sent.operation.root = 2;
  sent.operation.ranks = 4;
  sent.operation = operation_of(sent.operation, 4096);
  sent.out_of_place.seconds = 1.5e-6;
  sent.out_of_place.enqueued_seconds = 0.5e-6;
  sent.out_of_place.bandwidth = {12.25, 9.125};
  sent.out_of_place.wrong = 3;
  sent.out_of_place.wrong_locations = {"rank 1: wrong\n"};
  sent.out_of_place.iterations = {1e-6, 2e-6};
  sent.in_place.sample =
      Sample{{1, 2, 3, 4, 5, 6, 7}, 20, true, 8, 9, 10, {{3, "b", {7, 6, 5, 4, 3, 2, 1}, 11, 12, 13}}};
  const Row received = row_from(to_text(sent));
  ASSERT_TRUE(received.in_place.sample);
  EXPECT_EQ(received.in_place.sample->inside.p95, 5);
  EXPECT_EQ(received.in_place.sample->iterations, 20);
  EXPECT_TRUE(received.in_place.sample->settled);
  EXPECT_EQ(received.in_place.sample->clock_error, 8);
  EXPECT_EQ(received.in_place.sample->worst_skew, 10);
  ASSERT_EQ(received.in_place.sample->ranks.size(), 1u);
  EXPECT_EQ(received.in_place.sample->ranks[0].host, "b");
  EXPECT_EQ(received.in_place.sample->ranks[0].inside.max, 6);
  EXPECT_EQ(received.in_place.sample->ranks[0].worst_late, 12);
  EXPECT_FALSE(received.out_of_place.sample);
  EXPECT_EQ(received.group, 7);
  EXPECT_EQ(text_of(received.operation), text_of(sent.operation));
  EXPECT_EQ(received.operation.layout.count, sent.operation.layout.count);
  EXPECT_EQ(received.operation.ranks, 4);
  EXPECT_EQ(received.operation.op, ReduceOp::kMax);
  EXPECT_EQ(received.out_of_place.seconds, 1.5e-6);
  EXPECT_EQ(received.out_of_place.enqueued_seconds, 0.5e-6);
  EXPECT_EQ(received.out_of_place.bandwidth.bus, 9.125);
  EXPECT_EQ(received.out_of_place.wrong, 3u);
  EXPECT_EQ(received.out_of_place.wrong_locations, sent.out_of_place.wrong_locations);
  EXPECT_EQ(received.out_of_place.iterations, sent.out_of_place.iterations);
  EXPECT_FALSE(received.in_place.wrong);
}

}  // namespace
}  // namespace ringrun::worker
