#pragma once

#include "worker/backend/mpi_team.hpp"

namespace ringrun::worker {

/// Started by a loop of ssh, as PyTorch's ranks can be, every process would be "rank 0 of 1". To be asked before
/// MPI_Init, which then says that of itself in the environment. Throws Unsupported.
void check_launcher();

/// Where each process was started as a job of its own, by a launcher of another MPI, every one would be "rank 0 of 1".
/// Throws Unsupported.
void check_world_size(const MpiTeam& team);

}  // namespace ringrun::worker
