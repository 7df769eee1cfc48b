#pragma once

#include <string>
#include <vector>

#include "worker/ceiling/path.hpp"
#include "worker/ceiling/path_choice.hpp"
#include "worker/sweep/sweep.hpp"

namespace ringrun::worker {

/// What the survey of a job's path is told; the same on every process but for the GPUs.
struct SurveyQuestion {
  std::vector<int> leaders;        ///< for each process, the process that speaks for its host
  std::vector<std::string> hosts;  ///< for each process
  std::vector<int> groups;         ///< for each process
  int ranks_of_process = 1;
  bool nccl = false;
  std::vector<RankGpu> own_gpus;  ///< of this process's ranks, with NCCL
};

/// Finds the path by which the ranks' data goes: does the plan's operation a few times and looks which of each host's
/// ports carried it. Collective over all processes of all groups.
Path survey_path(const SurveyQuestion& question, const SweepPlan& plan, Collective& collective, Team& team,
                 Watch& watch);

}  // namespace ringrun::worker
