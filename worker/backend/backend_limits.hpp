#pragma once

#include <optional>

#include "worker/cli/options.hpp"
#include "worker/exit_code.hpp"

namespace ringrun::worker {

/// What is asked for and cannot be done on host memory.
std::optional<Unsupported> refusal_by_mpi(const Options& options);

/// The same with NCCL; `version` is the lower one of header and library (22809).
std::optional<Unsupported> refusal_by_nccl(const Options& options, int version);

/// What cannot be done with these groups; the ranks of each, in any order.
std::optional<Unsupported> refusal_by_groups(const Options& options, const std::vector<int>& group_sizes);

}  // namespace ringrun::worker
