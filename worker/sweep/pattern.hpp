#pragma once

#include <cstdint>

#include "worker/sweep/element.hpp"

// The same arithmetic fills and checks host memory and, compiled by nvcc, GPU memory.
#ifdef __CUDACC__
#define RINGRUN_HOST_DEVICE __host__ __device__
#else
#define RINGRUN_HOST_DEVICE
#endif

namespace ringrun::worker {

/// The input of each rank and the expected result, as whole numbers: every partial result of every order of reduction
/// is exact in the element type, so results are compared for equality. (Averages over a number of ranks that is no
/// power of two are rounded by the backend and get a tolerance.)
///
/// A result depends on at most `kMostContributors` ranks: element i on the ranks r with r % stride == i % stride. The
/// others give the neutral element. So the check of an element costs the same for 8 ranks and for 10,000, and 8 bits of
/// mantissa are enough for any number of them.
struct Pattern {
  static constexpr int kMostContributors = 32;
  static constexpr int kMostFactors = 6;  ///< of 2 in a product: 64 is exact in every type, int8 too

  ReduceOp op;
  bool is_signed;
  int ranks;
  int stride;
  std::int64_t lowest;  ///< a contribution is in [lowest, highest]
  std::int64_t highest;
  std::uint32_t seed;  ///< another one for each check, so that an old result is never taken for a new one
};

/// `seed` varies the values; `ranks` from 1.
Pattern make_pattern(DataType type, ReduceOp op, int ranks, std::uint32_t seed);

/// Input of operations that move data and reduce nothing: every rank has values of its own at every element.
Pattern make_copy_pattern(DataType type, std::uint32_t seed);

/// Largest relative difference from the exact result that the backend's own rounding can make; 0: none is allowed.
double relative_tolerance(DataType type, const Pattern& pattern);

RINGRUN_HOST_DEVICE inline std::uint32_t mix(std::uint32_t seed, std::uint32_t rank, std::uint64_t index) {
  std::uint64_t x = index * 0x9E3779B97F4A7C15ull + (static_cast<std::uint64_t>(rank) << 32 | seed);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return static_cast<std::uint32_t>(x >> 32);
}

RINGRUN_HOST_DEVICE inline std::int64_t hashed_value(const Pattern& p, int rank, std::uint64_t index) {
  const std::uint64_t hash = mix(p.seed, static_cast<std::uint32_t>(rank), index);
  if (p.op == ReduceOp::kProd) {
    const std::int64_t factor = (hash & 1) != 0 ? 2 : 1;
    return p.is_signed && (hash & 2) != 0 ? -factor : factor;
  }
  // Ranges are below 2^31, so the product stays below 2^63.
  const std::uint64_t values = static_cast<std::uint64_t>(p.highest - p.lowest) + 1;
  return p.lowest + static_cast<std::int64_t>((hash * values) >> 32);
}

RINGRUN_HOST_DEVICE inline std::int64_t neutral_value(const Pattern& p) {
  switch (p.op) {
    case ReduceOp::kProd:
      return 1;
    case ReduceOp::kMax:
      return p.lowest;
    case ReduceOp::kMin:
      return p.highest;
    default:
      return 0;
  }
}

/// What `rank` puts at `index`.
RINGRUN_HOST_DEVICE inline std::int64_t contribution(const Pattern& p, int rank, std::uint64_t index) {
  const auto stride = static_cast<std::uint64_t>(p.stride);
  const bool contributes = p.stride == 1 || static_cast<std::uint64_t>(rank) % stride == index % stride;
  return contributes ? hashed_value(p, rank, index) : neutral_value(p);
}

/// What an input is multiplied by before a mulsum.
RINGRUN_HOST_DEVICE inline int multiplier(int rank) { return rank % 2 + 1; }

/// What all ranks together must get at `index`; for an average, the sum before the division.
RINGRUN_HOST_DEVICE inline std::int64_t reduced_value(const Pattern& p, std::uint64_t index) {
  const int first = p.stride == 1 ? 0 : static_cast<int>(index % static_cast<std::uint64_t>(p.stride));
  std::int64_t result = neutral_value(p);
  for (int rank = first; rank < p.ranks; rank += p.stride) {
    const std::int64_t value = hashed_value(p, rank, index);
    switch (p.op) {
      case ReduceOp::kProd:
        result *= value;
        break;
      case ReduceOp::kMax:
        result = value > result ? value : result;
        break;
      case ReduceOp::kMin:
        result = value < result ? value : result;
        break;
      case ReduceOp::kMulSum:
        result += multiplier(rank) * value;
        break;
      default:
        result += value;
    }
  }
  return result;
}

/// What must stand at an element that comes from `index` of rank `source`'s input, or, where `source` is negative, of
/// all ranks together.
RINGRUN_HOST_DEVICE inline std::int64_t expected_value(const Pattern& p, int source, std::uint64_t index) {
  return source < 0 ? reduced_value(p, index) : contribution(p, source, index);
}

}  // namespace ringrun::worker
