#pragma once

#include <string>
#include <vector>

#include "worker/backend/backend_choice.hpp"
#include "worker/cli/options.hpp"
#include "worker/report/table.hpp"

namespace ringrun::worker {

/// What is known of a run before its first row.
struct RunFacts {
  const Options& options;  ///< with the types, operations and roots that are measured
  const std::vector<ProcessFacts>& processes;
  const BackendDecision& decision;
  std::string versions;  ///< "nccl-headers=22809 nccl-library=22809" or "mpi=4.1.4"
  int nccl_version = 0;  ///< of the loaded library; 0: none
  int ranks = 1;         ///< of this process's group
  int groups = 1;
};

TableHead describe_run(const RunFacts& run);

}  // namespace ringrun::worker
