#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/sweep/operation.hpp"
#include "worker/sweep/pattern.hpp"

namespace ringrun::worker {

/// The inputs of an operation that is checked.
Pattern pattern_for(const Operation& operation, std::uint32_t seed);

/// The right value at `index` of a result, as text, after the division of an average.
std::string expected_text(const Pattern& pattern, const std::vector<Segment>& result, std::uint64_t index);

/// A floating-point element as text: as many digits as tell it apart from its neighbours in double.
std::string element_text(double value);

}  // namespace ringrun::worker
