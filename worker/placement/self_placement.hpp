#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "worker/cli/options.hpp"
#include "worker/placement/process_view.hpp"

namespace ringrun::worker {

/// What this process knows of its placement. To be called behind MPI_Init, which the engine's words need. Never throws:
/// a process that cannot tell says so. `launched`: a launcher said something before MPI_Init, which says the same of a
/// process that nobody launched.
ProcessView view_self(const Options& options, bool launched, int local_rank) noexcept;

/// Binds this process as ringrun would have done, to its share of the CPUs next to its GPUs with memory from there
/// first, where nobody chose the binding of any process of this host; within what the launcher's process on this host
/// may use. Where ringrun bound it, and where there is no GPU, nothing is changed. `host` has what all processes of
/// this host know, in the order of their ranks, and this one's at place `own`. To be called before CUDA and NCCL start
/// their threads; those of MPI are bound too. Returns what was done and why, for the head of the table: the same text
/// where it is the same for two ranks; "" for nothing. Never throws: a process that cannot be placed stays as it is,
/// and says so.
std::string place_self(const std::vector<ProcessView>& host, std::size_t own) noexcept;

}  // namespace ringrun::worker
