#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ringrun::mpi {

/// What the launcher says in the environment before MPI_Init. Each is empty where it says nothing.
struct LaunchEnvironment {
  std::optional<int> rank;
  std::optional<int> size;  ///< of the job
  std::optional<int> local_rank;
};

/// Reads Open MPI's, MPICH's, Slurm's and torchrun's variables through `get` (nullptr where unset).
LaunchEnvironment read_launch_environment(const std::function<const char*(const char*)>& get);

/// That of this process.
LaunchEnvironment launch_environment();

}  // namespace ringrun::mpi
