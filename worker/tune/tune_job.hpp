#pragma once

#include <optional>
#include <vector>

#include "worker/backend/backend_choice.hpp"
#include "worker/tune/tuning.hpp"

namespace ringrun::worker {

/// Why there is nothing that --tune could try.
std::optional<Unsupported> refusal_to_tune(const Options& options, const BackendDecision& decision, int processes,
                                           int groups);

/// All but what is different on each process. `facts` of every process, in their order.
TuneJob tune_job(const Options& options, const std::vector<ProcessFacts>& facts);

}  // namespace ringrun::worker
