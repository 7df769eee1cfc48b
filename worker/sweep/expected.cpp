#include "worker/sweep/expected.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace ringrun::worker {

Pattern pattern_for(const Operation& operation, std::uint32_t seed) {
  return operation.description().reduces ? make_pattern(operation.type, operation.op, operation.ranks, seed)
                                         : make_copy_pattern(operation.type, seed);
}

std::string expected_text(const Pattern& pattern, const std::vector<Segment>& result, std::uint64_t index) {
  const auto segment = std::find_if(result.begin(), result.end(), [&](const Segment& candidate) {
    return index >= candidate.begin && index - candidate.begin < candidate.count;
  });
  if (segment == result.end()) throw std::out_of_range("expected_text: not an element of the result");
  const std::uint64_t at = index - segment->begin + segment->source_begin;
  const std::int64_t value = expected_value(pattern, segment->source, at);
  if (pattern.op != ReduceOp::kAvg) return std::to_string(value);
  return element_text(static_cast<double>(value) / pattern.ranks);
}

std::string element_text(double value) { return fmt::format("{}", value); }

}  // namespace ringrun::worker
