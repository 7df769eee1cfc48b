#include "worker/sweep/soak.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/sweep_fixture.hpp"

namespace ringrun::worker {
namespace {

using testing::HasSubstr;

using SoakTest = SweepTest;

TEST_F(SoakTest, EndsWhenItsTimeIsOverOrSomethingIsWrong) {
  plan.sizes = {64, 128};
  int steps = 0;
  const SoakResult short_one = run_soak(plan, 0, collective, team, watch, [&](const SoakResult&) { ++steps; });
  EXPECT_EQ(short_one.operations, 1u);
  EXPECT_EQ(short_one.wrong, 0u);
  EXPECT_EQ(steps, 2);
  EXPECT_THAT(text_of(short_one), testing::ContainsRegex("^# Soak: 1 operation of .* GB together in 0 s: OK\n$"));
  // Found in place and of 64 bytes alone.
  plan.sizes = {64, 64};
  collective.wrong_at = 64;
  collective.seeds.clear();  // another process, in truth
  const SoakResult wrong = run_soak(plan, 60, collective, team, watch, [](const SoakResult&) {});
  EXPECT_EQ(wrong.wrong, 1u);
  EXPECT_THAT(
      text_of(wrong),
      testing::ContainsRegex("^# rank 2 on [^ ]+: 1 wrong in the all-reduce of 64 bytes .float sum, in-place., first"));
  EXPECT_THAT(text_of(wrong), HasSubstr("FAILED"));
}

TEST(SoakOperations, AreOfRandomSizesAtRandomPlacesWithinTheBuffers) {
  SweepPlan plan;
  plan.sizes = {8, 1024, 1 << 20};
  plan.types = {DataType::kInt8, DataType::kDouble};
  plan.ops = {ReduceOp::kSum, ReduceOp::kMax};
  plan.left_out = {{DataType::kInt8, ReduceOp::kMax}};
  SoakOperations operations(plan, 3);
  SoakOperations others(plan, 3);
  std::set<std::size_t> sizes, begins;
  int small = 0;
  for (int i = 0; i < 200; ++i) {
    const Operation operation = operations.next();
    EXPECT_EQ(text_of(operation), text_of(others.next())) << "every process draws the same";
    EXPECT_FALSE(plan.leaves_out(operation.type, operation.op));
    EXPECT_LE(operation.bytes() + operation.begin * size_of(operation.type), std::size_t{1} << 20);
    sizes.insert(operation.bytes());
    begins.insert(operation.begin);
    small += operation.bytes() < 4096 ? 1 : 0;
  }
  EXPECT_GT(sizes.size(), 100u);
  EXPECT_GT(begins.size(), 100u);
  EXPECT_GT(small, 60) << "half of the magnitudes";
}

}  // namespace
}  // namespace ringrun::worker
