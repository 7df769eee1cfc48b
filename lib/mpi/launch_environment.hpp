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
  std::optional<int> local_size;       ///< ranks on this host
  std::optional<int> rank_of_program;  ///< among those of the same program of the line (mpirun's `:`), by Open MPI
  /// ringrun started this process, and has checked and chosen the network.
  bool by_ringrun = false;

  /// A launcher started this process, and for all that it says, others on other hosts.
  bool may_span_hosts() const { return rank && (!size || !local_size || *local_size < *size); }
};

/// Reads Open MPI's, MPICH's, Slurm's and torchrun's variables through `get` (nullptr where unset).
LaunchEnvironment read_launch_environment(const std::function<const char*(const char*)>& get);

/// The tasks on a node, of Slurm's "2(x3),1"; 1 where the list ends before it.
int tasks_on_node(const std::string& list, int node);

/// The engine's own name of the job that this process is a rank of, "" where it has none.
std::string engine_job(const std::function<const char*(const char*)>& get);

/// That of this process.
LaunchEnvironment launch_environment();

}  // namespace ringrun::mpi
