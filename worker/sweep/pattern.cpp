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
  }
  throw std::invalid_argument("exactness_of: unknown type");
}

int divide_up(int value, int by) { return (value + by - 1) / by; }

}  // namespace

Pattern make_pattern(DataType type, ReduceOp op, int ranks, std::uint32_t seed) {
  if (ranks < 1) throw std::invalid_argument("make_pattern: ranks must be at least 1");
  const Exactness exact = exactness_of(type);
  Pattern pattern{op, exact.is_signed, ranks, 1, 0, exact.largest, seed};
  pattern.stride = divide_up(ranks, op == ReduceOp::kProd ? Pattern::kMostFactors : Pattern::kMostContributors);
  if (op == ReduceOp::kSum || op == ReduceOp::kAvg) {
    pattern.highest = exact.largest / divide_up(ranks, pattern.stride);
  }
  // Averages: values of one sign, so that the rounding of the parts stays small beside the result.
  if (exact.is_signed && op != ReduceOp::kAvg) pattern.lowest = -pattern.highest;
  return pattern;
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
