#pragma once

#include <optional>
#include <vector>

#include "worker/backend/backend_choice.hpp"
#include "worker/exit_code.hpp"

namespace ringrun::worker {

/// The first rank that does not have what ringrun planned for it, by the facts of every process: other CPUs, memory
/// from other nodes, or another GPU. What was not planned is anybody's, and so is a GPU that the worker's own words
/// choose
/// (-t, -g, NCCL_TESTS_DEVICE). A memory policy that the kernel refused is no mismatch. Pure.
std::optional<Unsupported> refusal_by_plan(const Options& options, const std::vector<ProcessFacts>& facts,
                                           const BackendDecision& decision);

}  // namespace ringrun::worker
