#include "worker/backend/supported_choices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

/// Has no half, no avg, and no max of int8.
std::optional<std::string> refusal(const Operation& operation) {
  if (operation.type == DataType::kHalf) return "no half";
  if (operation.op == ReduceOp::kAvg) return "no avg";
  if (operation.type == DataType::kInt8 && operation.op == ReduceOp::kMax) return "no max of int8";
  return std::nullopt;
}

struct Kept {
  Options options;
  std::string refused;
  std::vector<std::string> remarks;
};

Kept keep(const std::vector<std::string>& arguments) {
  Kept kept;
  kept.options = parse_options(arguments);
  if (const auto refused = keep_supported(kept.options, 3, refusal, kept.remarks)) kept.refused = refused->what();
  return kept;
}

TEST(SupportedChoices, AreWhatIsLeftOfAllWithARemarkForTheRest) {
  const Kept kept = keep({"-d", "all", "-o", "all"});
  EXPECT_EQ(kept.refused, "");
  EXPECT_THAT(kept.options.plan.types, SizeIs(11));
  EXPECT_THAT(kept.options.plan.ops, SizeIs(5));
  EXPECT_THAT(kept.options.plan.left_out, ElementsAre(Pair(DataType::kInt8, ReduceOp::kMax)));
  EXPECT_THAT(kept.remarks, ElementsAre("Left out: no half", "Left out: no avg", "Left out: no max of int8"));
}

TEST(SupportedChoices, AreRefusedWhereTheyWereNamed) {
  EXPECT_EQ(keep({"-d", "half", "-o", "all"}).refused, "no half");
  EXPECT_EQ(keep({"-d", "all", "-o", "avg"}).refused, "no avg");
  EXPECT_EQ(keep({"-d", "int8", "-o", "max"}).refused, "no max of int8");
  EXPECT_EQ(keep({"-d", "int8", "-o", "all"}).refused, "");
  EXPECT_EQ(keep({"-d", "int8", "-o", "sum"}).refused, "");
}

TEST(SupportedChoices, OfWhatReducesNothingAreTheTypesAndRootsAlone) {
  const Kept kept = keep({"--collective", "broadcast", "-d", "all", "-o", "avg", "-r", "all"});
  EXPECT_EQ(kept.refused, "");
  EXPECT_THAT(kept.options.plan.roots, ElementsAre(0, 1, 2));
  EXPECT_THAT(kept.remarks, ElementsAre("Left out: no half"));
}

TEST(SupportedChoices, RefuseTheLargestSizeBeforeTheFirstRow) {
  SweepPlan plan{CollectiveKind::kAllGather, {64, 128}, {DataType::kInt8}, {ReduceOp::kSum}};
  const auto most = [](std::size_t bytes) {
    return [bytes](const Operation& operation) -> std::optional<std::string> {
      if (operation.bytes() > bytes) return "too many elements";
      return std::nullopt;
    };
  };
  EXPECT_FALSE(refusal_by_size(plan, 2, most(128)).has_value());
  const auto refused = refusal_by_size(plan, 2, most(127));
  ASSERT_TRUE(refused.has_value());
  EXPECT_EQ(refused->remedy(), "give a smaller largest size: -e");
}

}  // namespace
}  // namespace ringrun::worker
