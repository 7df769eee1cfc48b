#pragma once

#include <optional>
#include <vector>

#include "worker/backend/backend_choice.hpp"
#include "worker/exit_code.hpp"

namespace ringrun::worker {

/// Of the MPI backend: which host's memory, or which control group's limit, the buffers of all its ranks together, with
/// those that MPI itself takes, would not leave a tenth of. `facts` are of before anybody takes some, so that everybody
/// comes to the same, whoever is quicker.
std::optional<Unsupported> refusal_by_memory(const Options& options, const std::vector<ProcessFacts>& facts);

}  // namespace ringrun::worker
