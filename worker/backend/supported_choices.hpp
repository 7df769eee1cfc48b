#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/cli/options.hpp"
#include "worker/exit_code.hpp"

namespace ringrun::worker {

/// Drops from "all" types and reductions what the backend lacks, alone or together, with a remark for each, and makes
/// roots of "all" roots. What was asked for by name is refused instead. `refusal` says why an operation cannot be done,
/// of which the type, the reduction and the number of ranks count; every process comes to the same.
std::optional<Unsupported> keep_supported(Options& options, int ranks,
                                          const std::function<std::optional<std::string>(const Operation&)>& refusal,
                                          std::vector<std::string>& remarks);

/// Why the backend cannot do the plan's largest size, which is better known before the first row than in the last one.
std::optional<Unsupported> refusal_by_size(const SweepPlan& plan, int ranks,
                                           const std::function<std::optional<std::string>(const Operation&)>& refusal);

}  // namespace ringrun::worker
