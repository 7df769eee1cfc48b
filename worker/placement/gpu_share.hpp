#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/gpu/gpu.hpp"
#include "lib/placement/placement.hpp"
#include "lib/topology/machine.hpp"
#include "worker/cli/options.hpp"

namespace ringrun::worker {

/// The processors and memory of one process.
struct ProcessPlacement {
  std::vector<int> cpus;
  std::vector<int> memory_nodes;
  /// What a person should know of it; "" for nothing.
  std::string note;
};

/// The bus ids of the GPUs that a process's ranks take, in their order, of those that CUDA shows it: one for each of
/// its threads' GPUs. One that is shown no more than it needs (Slurm) takes these; another begins with its first
/// device, where it was told one, else counts by its local rank.
std::vector<std::string> gpus_taken(const std::vector<Gpu>& visible, int local_rank, const Options& options);

/// Where a process belongs among those of its host, by the same rule as ringrun's (resolve_placement).
/// `gpus_of_process` are the bus ids that each of them takes, in the order of their local ranks; this process is number
/// `own`. Each of its GPUs is a rank of its own there, and it has what they have together. Pure.
ProcessPlacement place_process(const Machine& machine, const std::vector<std::vector<std::string>>& gpus_of_process,
                               std::size_t own);

}  // namespace ringrun::worker
