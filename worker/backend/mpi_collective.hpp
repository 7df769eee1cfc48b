#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "worker/sweep/collective.hpp"

namespace ringrun::worker {

struct MpiCollectiveSettings {
  std::size_t max_bytes = 0;  ///< of each of two buffers
  int misalignment = 0;       ///< elements left free at the begin of each
  MPI_Comm communicator = MPI_COMM_WORLD;
};

/// MPI's collectives on host memory: one rank a process. It takes the buffers at once: see refusal_by_memory.
std::unique_ptr<Collective> make_mpi_collective(const MpiCollectiveSettings& settings);

}  // namespace ringrun::worker
