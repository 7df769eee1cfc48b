#pragma once

#include <cstdint>
#include <vector>

namespace ringrun::worker {

/// Bytes of every step from `smallest` to at most `largest`: multiplied by `factor` where that is above 1, else with
/// `step` added. Throws std::invalid_argument for a sequence that would never end.
std::vector<std::int64_t> sweep_sizes(std::int64_t smallest, std::int64_t largest, std::int64_t step, int factor);

}  // namespace ringrun::worker
