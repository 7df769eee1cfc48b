#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// What Slurm gave the job that ringrun is started in, by salloc or sbatch.
struct SlurmAllocation {
  struct Node {
    /// Slurm's own name of it.
    std::string name;
    int tasks = 0;
    bool operator==(const Node&) const = default;
  };
  std::string job;
  /// In Slurm's order.
  std::vector<Node> nodes;
  /// Somebody said how many tasks there are; else the numbers are Slurm's own.
  bool tasks_said = false;
  std::vector<std::string> warnings;
};

/// From SLURM_JOB_ID, SLURM_JOB_NODELIST, SLURM_TASKS_PER_NODE and their like; nothing outside an allocation. Throws
/// UserError where srun started ringrun as one of several tasks, and where the variables contradict each other.
std::optional<SlurmAllocation> read_slurm_allocation(const Environment& environment);

/// Its nodes as hosts. Tasks that were said are their slots; tasks that were not count where a node has no GPU.
HostList hosts_of(const SlurmAllocation& allocation);

/// The hosts of a hostfile by Slurm's names; slots that it does not say are the allocation's. Throws UserError for a
/// host that is not in the allocation.
HostList within_allocation(HostList hosts, const SlurmAllocation& allocation);

}  // namespace ringrun
