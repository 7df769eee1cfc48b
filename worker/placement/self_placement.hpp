#pragma once

#include <string>

#include "worker/cli/options.hpp"

namespace ringrun::worker {

/// Binds this process as ringrun would have done, to its share of the CPUs next to its GPUs with memory from there
/// first, where nobody chose its binding; within what the launcher's process on this host may use. Where ringrun bound
/// it, and where there is no GPU, nothing is changed. To be called behind MPI_Init, which the engine's words need, and
/// before CUDA and NCCL start their threads; those of MPI are bound too.
/// Returns what was done and why, for the head of the table: the same text where it is the same for two ranks; "" for
/// nothing. Never throws: a process that cannot be placed stays as it is, and says so.
/// `launched`: a launcher said something before MPI_Init, which says the same of a process that nobody launched.
std::string place_self(const Options& options, bool launched) noexcept;

}  // namespace ringrun::worker
