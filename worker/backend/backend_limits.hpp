#pragma once

#include <optional>
#include <string>
#include <vector>

#include "worker/cli/options.hpp"
#include "worker/exit_code.hpp"
#include "worker/sweep/operation.hpp"

namespace ringrun::worker {

/// What is asked for and cannot be done on host memory.
std::optional<Unsupported> refusal_by_mpi(const Options& options);

/// The same with NCCL; `version` is the lower one of header and library (22809).
std::optional<Unsupported> refusal_by_nccl(const Options& options, int version);

/// What NCCL lacks where a communicator has one rank. It then copies, but for a reduction that multiplies first, which
/// it has kernels of its own for, and none for 8-bit floats: 2.28.9 answers "invalid argument". The average of
/// floating-point numbers is such a reduction.
std::optional<std::string> refusal_on_one_rank(const Operation& operation);

/// What cannot be done with these groups; the ranks of each, in any order.
std::optional<Unsupported> refusal_by_groups(const Options& options, const std::vector<int>& group_sizes);

}  // namespace ringrun::worker
