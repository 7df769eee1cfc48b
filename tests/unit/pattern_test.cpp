#include "worker/sweep/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "worker/backend/host_elements.hpp"
#include "worker/sweep/buffer_slice.hpp"

namespace ringrun::worker {
namespace {

/// Reduces the contributions in the given order with the arithmetic of `T`, as some algorithm of a library might.
template <typename T>
T reduce_in_order(const Pattern& pattern, const std::vector<int>& order, std::uint64_t index) {
  const auto input = [&](int rank) {
    const int factor = pattern.op == ReduceOp::kMulSum ? multiplier(rank) : 1;
    return static_cast<T>(factor * contribution(pattern, rank, index));
  };
  T result = input(order.front());
  for (std::size_t i = 1; i < order.size(); ++i) {
    const T value = input(order[i]);
    switch (pattern.op) {
      case ReduceOp::kProd:
        result = static_cast<T>(result * value);
        break;
      case ReduceOp::kMax:
        result = std::max(result, value);
        break;
      case ReduceOp::kMin:
        result = std::min(result, value);
        break;
      default:
        result = static_cast<T>(result + value);
    }
  }
  return result;
}

template <typename T>
void expect_exact_in_any_order(DataType type) {
  std::mt19937 random(7);
  for (int ranks : {1, 2, 3, 8, 33, 300, 1000}) {
    std::vector<int> order(static_cast<std::size_t>(ranks));
    for (int i = 0; i < ranks; ++i) order[static_cast<std::size_t>(i)] = i;
    for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kMulSum}) {
      const Pattern pattern = make_pattern(type, op, ranks, 5);
      for (std::uint64_t index : {0ull, 1ull, 17ull, 123456ull, 5000000000ull}) {
        std::shuffle(order.begin(), order.end(), random);
        ASSERT_EQ(reduce_in_order<T>(pattern, order, index), static_cast<T>(reduced_value(pattern, index)))
            << name_of(type) << " " << name_of(op) << " over " << ranks << " ranks at " << index;
      }
    }
  }
}

TEST(Pattern, GivesTheSameResultInEveryOrderOfEveryCType) {
  expect_exact_in_any_order<std::int8_t>(DataType::kInt8);
  expect_exact_in_any_order<std::uint8_t>(DataType::kUint8);
  expect_exact_in_any_order<std::int32_t>(DataType::kInt32);
  expect_exact_in_any_order<std::uint32_t>(DataType::kUint32);
  expect_exact_in_any_order<std::int64_t>(DataType::kInt64);
  expect_exact_in_any_order<std::uint64_t>(DataType::kUint64);
  expect_exact_in_any_order<float>(DataType::kFloat);
  expect_exact_in_any_order<double>(DataType::kDouble);
}

TEST(Pattern, NeverLeavesTheWholeNumbersThatTheSmallFloatingPointTypesHold) {
  for (const auto& [type, whole] : {std::pair{DataType::kHalf, 2048},
                                    {DataType::kBfloat16, 256},
                                    {DataType::kFloat8e4m3, 16},
                                    {DataType::kFloat8e5m2, 8}}) {
    for (int ranks : {1, 2, 7, 8, 64, 4096}) {
      for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin, ReduceOp::kMulSum}) {
        // Powers of 2 are exact far beyond.
        const int largest = op == ReduceOp::kProd ? 64 : whole;
        const Pattern pattern = make_pattern(type, op, ranks, 3);
        for (std::uint64_t index = 0; index < 50; ++index) {
          // The largest partial sum of any order is the sum of the absolute values.
          std::int64_t magnitude = op == ReduceOp::kProd ? 1 : 0;
          for (int rank = 0; rank < ranks; ++rank) {
            const std::int64_t value = std::abs(contribution(pattern, rank, index));
            if (op == ReduceOp::kSum) magnitude += value;
            if (op == ReduceOp::kMulSum) magnitude += multiplier(rank) * value;
            if (op == ReduceOp::kProd) magnitude *= value;
            if (op == ReduceOp::kMax || op == ReduceOp::kMin) magnitude = std::max(magnitude, value);
          }
          ASSERT_LE(magnitude, largest) << name_of(type) << " " << name_of(op) << " over " << ranks;
        }
      }
    }
  }
}

TEST(Pattern, SumsMoreThanZeroesInEveryType) {
  for (DataType type : all_data_types()) {
    for (int ranks : {1, 8, 4096}) {
      const Pattern pattern = make_pattern(type, ReduceOp::kSum, ranks, 3);
      std::set<std::int64_t> values;
      for (std::uint64_t index = 0; index < 200; ++index) values.insert(reduced_value(pattern, index));
      EXPECT_GE(values.size(), 4u) << name_of(type) << " over " << ranks;
    }
  }
}

TEST(Pattern, OfACopyHasEveryRanksOwnValues) {
  const Pattern pattern = make_copy_pattern(DataType::kInt32, 1);
  std::set<std::int64_t> values;
  for (int rank = 0; rank < 1000; ++rank) values.insert(expected_value(pattern, rank, 7));
  EXPECT_GT(values.size(), 990u);
}

TEST(Pattern, GivesNeighbouringElementsAndRanksDifferentValues) {
  const Pattern pattern = make_pattern(DataType::kFloat, ReduceOp::kSum, 4, 1);
  std::set<std::int64_t> values;
  for (int rank = 0; rank < 4; ++rank) {
    for (std::uint64_t index = 0; index < 250; ++index) values.insert(contribution(pattern, rank, index));
  }
  EXPECT_GT(values.size(), 990u);
}

TEST(Pattern, ChangesWithTheSeedSoThatAnOldResultIsFound) {
  const Pattern before = make_pattern(DataType::kInt32, ReduceOp::kSum, 2, 1);
  const Pattern after = make_pattern(DataType::kInt32, ReduceOp::kSum, 2, 2);
  int equal = 0;
  for (std::uint64_t index = 0; index < 1000; ++index)
    equal += reduced_value(before, index) == reduced_value(after, index);
  EXPECT_LT(equal, 5);
}

TEST(Pattern, AllowsRoundingOnlyForAveragesOverNoPowerOfTwo) {
  EXPECT_EQ(relative_tolerance(DataType::kFloat, make_pattern(DataType::kFloat, ReduceOp::kSum, 3, 1)), 0);
  EXPECT_EQ(relative_tolerance(DataType::kFloat, make_pattern(DataType::kFloat, ReduceOp::kAvg, 4, 1)), 0);
  EXPECT_EQ(relative_tolerance(DataType::kInt32, make_pattern(DataType::kInt32, ReduceOp::kAvg, 3, 1)), 0);
  const double some = relative_tolerance(DataType::kFloat, make_pattern(DataType::kFloat, ReduceOp::kAvg, 3, 1));
  EXPECT_GT(some, 0);
  EXPECT_LT(some, 1e-6);
}

std::vector<Segment> whole(std::size_t count) { return {{0, count, Segment::kAllReduced, 0}}; }

TEST(HostElements, LocateAWrongElementAmongThePartsOfSeveralRanks) {
  const Pattern pattern = make_copy_pattern(DataType::kInt32, 9);
  const std::vector<Segment> result{{0, 10, 0, 50}, {10, 10, 1, 50}, {20, 10, 2, 50}};
  std::vector<std::int32_t> data(30);
  for (const Segment& segment : result) {
    for (std::size_t i = 0; i < segment.count; ++i)
      data[segment.begin + i] = static_cast<std::int32_t>(contribution(pattern, segment.source, 50 + i));
  }
  EXPECT_EQ(compare_with_result(data.data(), DataType::kInt32, pattern, result, 2).count, 0u);
  data[13] ^= 1;
  data[27] ^= 1;
  const WrongElements wrong = compare_with_result(data.data(), DataType::kInt32, pattern, result, 2);
  EXPECT_EQ(wrong.count, 2u);
  EXPECT_EQ(wrong.first_index, 13u);
  EXPECT_EQ(wrong.expected, std::to_string(contribution(pattern, 1, 53)));
}

TEST(HostElements, FindAndLocateASingleWrongElement) {
  const Pattern pattern = make_pattern(DataType::kInt32, ReduceOp::kSum, 2, 9);
  std::vector<std::int32_t> result(1000);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::int32_t>(reduced_value(pattern, i));
  EXPECT_EQ(compare_with_result(result.data(), DataType::kInt32, pattern, whole(1000), 1).count, 0u);

  const std::int32_t right = result[617];
  result[617] = right + 1;
  const WrongElements wrong = compare_with_result(result.data(), DataType::kInt32, pattern, whole(1000), 1);
  EXPECT_EQ(wrong.rank, 1);
  EXPECT_EQ(wrong.count, 1u);
  EXPECT_EQ(wrong.first_index, 617u);
  EXPECT_EQ(wrong.expected, std::to_string(right));
  EXPECT_EQ(wrong.got, std::to_string(right + 1));
}

TEST(HostElements, CallABufferThatWasNeverWrittenWrongAtEveryElement) {
  for (DataType type :
       {DataType::kInt8, DataType::kUint8, DataType::kInt32, DataType::kUint64, DataType::kFloat, DataType::kDouble}) {
    for (ReduceOp op : {ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax, ReduceOp::kMin}) {
      const Pattern pattern = make_pattern(type, op, 3, 4);
      std::vector<std::uint64_t> memory(500);
      fill_wrong(memory.data(), type, pattern, whole(500));
      EXPECT_EQ(compare_with_result(memory.data(), type, pattern, whole(500), 0).count, 500u)
          << name_of(type) << name_of(op);
    }
  }
}

TEST(BufferSlice, WalksThroughTheWholeBufferAndNeverPastIt) {
  std::set<std::size_t> offsets;
  for (int i = 0; i < 20; ++i) offsets.insert(BufferSlices(1000, 300).offset(i));
  EXPECT_EQ(offsets, (std::set<std::size_t>{0, 300, 600}));
  EXPECT_EQ(BufferSlices(1000, 1000).offset(7), 0u);
  EXPECT_EQ(BufferSlices(1000, 0).offset(7), 0u);
}

}  // namespace
}  // namespace ringrun::worker
