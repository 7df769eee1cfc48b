#pragma once

#include <iosfwd>
#include <optional>

#include "worker/sweep/sample.hpp"

namespace ringrun::worker {

/// The "# " lines of --stats under a row: the spread, a line for each rank, and the straggler's name. `placement` is
/// "out-of-place" or "in-place". Nothing without a sample.
void print_sample(std::ostream& out, const char* placement, const std::optional<Sample>& sample);

}  // namespace ringrun::worker
