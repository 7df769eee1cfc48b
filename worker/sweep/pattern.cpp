#include "worker/sweep/pattern.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ringrun::worker {
namespace {

struct Exactness {
  std::int64_t largest;  ///< whole numbers up to this are exact; capped so that the hash's arithmetic stays in 64 bits
  bool is_signed;
  int mantissa_bits;  ///< 0: an integer type
};

Exactness exactness_of(DataType type) {
  constexpr std::int64_t kCap = (std::int64_t{1} << 30) - 1;
  switch (type) {
    case DataType::kInt8:
      return {127, true, 0};
    case DataType::kUint8:
      return {255, false, 0};
    case DataType::kInt32:
    case DataType::kInt64:
      return {kCap, true, 0};
    case DataType::kUint32:
    case DataType::kUint64:
      return {kCap, false, 0};
    case DataType::kHalf:
      return {1 << 11, true, 11};
    case DataType::kBfloat16:
      return {1 << 8, true, 8};
    case DataType::kFloat:
      return {1 << 24, true, 24};
    case DataType::kDouble:
      return {kCap, true, 53};
    case DataType::kFloat8e4m3:
      return {1 << 4, true, 4};
    case DataType::kFloat8e5m2:
      return {1 << 3, true, 3};
  }
  throw std::invalid_argument("exactness_of: unknown type");
}

bool is_float8(DataType type) { return type == DataType::kFloat8e4m3 || type == DataType::kFloat8e5m2; }

int divide_up(int value, int by) { return (value + by - 1) / by; }

}  // namespace

Pattern make_pattern(DataType type, ReduceOp op, int ranks, std::uint32_t seed) {
  if (ranks < 1) throw std::invalid_argument("make_pattern: ranks must be at least 1");
  const Exactness exact = exactness_of(type);
  Pattern pattern{op, exact.is_signed, ranks, 1, 0, exact.largest, seed};
  const bool sums = op == ReduceOp::kSum || op == ReduceOp::kAvg || op == ReduceOp::kMulSum;
  const std::int64_t largest_sum = op == ReduceOp::kMulSum ? exact.largest / 2 : exact.largest;
  int most = op == ReduceOp::kProd ? Pattern::kMostFactors : Pattern::kMostContributors;
  // Eight bits hold few whole numbers: fewer ranks contribute, each more than 0 or 1.
  if (sums && is_float8(type)) most = static_cast<int>(largest_sum / 2);
  pattern.stride = divide_up(ranks, most);
  if (sums) pattern.highest = largest_sum / divide_up(ranks, pattern.stride);
  // Averages: values of one sign, so that the rounding of the parts stays small beside the result.
  if (exact.is_signed && op != ReduceOp::kAvg) pattern.lowest = -pattern.highest;
  return pattern;
}

Pattern make_copy_pattern(DataType type, std::uint32_t seed) {
  const Exactness exact = exactness_of(type);
  return {ReduceOp::kMax, exact.is_signed, 1, 1, exact.is_signed ? -exact.largest : 0, exact.largest, seed};
}

double relative_tolerance(DataType type, const Pattern& pattern) {
  const Exactness exact = exactness_of(type);
  const bool power_of_two = (pattern.ranks & (pattern.ranks - 1)) == 0;
  if (pattern.op != ReduceOp::kAvg || exact.mantissa_bits == 0 || power_of_two) return 0;
  // 1/n is rounded once, then each product and each partial sum: half a unit in the last place each.
  const int roundings = divide_up(pattern.ranks, pattern.stride) + 2;
  return roundings * std::ldexp(1.0, -exact.mantissa_bits);
}

}  // namespace ringrun::worker
