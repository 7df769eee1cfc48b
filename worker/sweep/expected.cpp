#include "worker/sweep/expected.hpp"

#include <fmt/format.h>

namespace ringrun::worker {

std::string expected_text(const Pattern& pattern, std::uint64_t index) {
  const std::int64_t value = reduced_value(pattern, index);
  if (pattern.op != ReduceOp::kAvg) return std::to_string(value);
  return element_text(static_cast<double>(value) / pattern.ranks);
}

std::string element_text(double value) { return fmt::format("{}", value); }

}  // namespace ringrun::worker
