#pragma once

#include "worker/cli/options.hpp"

namespace ringrun::worker {

/// Throws UserError for options that do not go together, naming both: what a scan, a soak or a tuning would ignore, and
/// what contradicts itself.
void check_options(const Options& options);

}  // namespace ringrun::worker
