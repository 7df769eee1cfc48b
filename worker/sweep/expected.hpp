#pragma once

#include <cstdint>
#include <string>

#include "worker/sweep/pattern.hpp"

namespace ringrun::worker {

/// The right result at `index` as text, after the division of an average.
std::string expected_text(const Pattern& pattern, std::uint64_t index);

/// A floating-point element as text: as many digits as tell it apart from its neighbours in double.
std::string element_text(double value);

}  // namespace ringrun::worker
