#pragma once

#include <memory>

#include "worker/sweep/collective.hpp"

namespace ringrun::worker {

/// MPI's collectives on host memory: one rank a process, two buffers of `max_bytes` each. Throws Unsupported where this
/// host has not that much memory free for its `local_size` processes.
std::unique_ptr<Collective> make_mpi_collective(std::size_t max_bytes, int local_size);

}  // namespace ringrun::worker
