#pragma once

#include <functional>
#include <string>
#include <vector>

#include "worker/exit_code.hpp"
#include "worker/sweep/team.hpp"
#include "worker/tune/conductor.hpp"
#include "worker/tune/trial.hpp"
#include "worker/tune/trial_process.hpp"
#include "worker/tune/tune_report.hpp"
#include "worker/watch/watch.hpp"

namespace ringrun::worker {

/// What one process brings into a tuning.
struct TuneJob {
  std::vector<std::string> command;  ///< that starts a trial's process
  TrialTask task;                    ///< the same for every trial, but for its iterations
  double budget = 60;                ///< seconds
  double first_deadline = 60;        ///< seconds
  double timeout = 60;               ///< seconds that a process may come late; 0: for ever
  std::vector<std::string> hosts;    ///< of each process, its name
  std::vector<int> leaders;          ///< of each process, the one that speaks for its host
};

/// Word that a process's trial has failed, to those whose trials would wait for it.
struct TuneAlarm {
  std::function<void(int trial)> raise;
  std::function<bool(int trial)> is_raised;
};

/// Tries settings, each in processes of its own on all ranks, until the budget is spent. All processes call it;
/// `report` is that of the first one, and null on the others. Returns the exit code, the same on all.
ExitCode run_tuning(const TuneJob& job, Team& team, Watch& watch, const TuneAlarm& alarm, TuneReport* report);

}  // namespace ringrun::worker
