#pragma once

#include <string>
#include <vector>

#include "lib/gpu/gpu.hpp"
#include "lib/mpi/launch_environment.hpp"
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

/// Where this process belongs among those of its host, by the same rule as ringrun's (resolve_placement). `gpus` are
/// those that CUDA shows it. Each of its threads' GPUs is a rank of its own there, and it has what they have together.
/// A process that sees its own GPUs alone (Slurm), or was told its first one, does not know the others': it takes its
/// part as if they all were next to its own. Pure.
ProcessPlacement place_process(const Machine& machine, const std::vector<Gpu>& gpus,
                               const mpi::LaunchEnvironment& launch, const Options& options);

}  // namespace ringrun::worker
