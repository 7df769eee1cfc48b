#pragma once

#include <functional>

#include "lib/placement/job_plan.hpp"

namespace ringrun {

/// Names of the variables that a rank's wrapper has set, separated by commas: a launcher inside the rank drops them.
inline constexpr const char* kSetVariable = "RINGRUN_SET";

/// A rank as Open MPI or else Slurm numbers it; its host by Slurm's name for it where the plan has these, else as
/// ringrun counts. `variable` gives the environment's value, nullptr for none. Throws UserError.
RankIdentity read_rank_identity(const JobPlan& plan, const std::function<const char*(const char*)>& variable);

/// Sets what the plan gives this rank, and takes ringrun's own variables away.
void set_rank_environment(const JobPlan& plan, const RankIdentity& identity);

/// Binds this process to the CPUs of its row, and lets its memory come from those nodes; without CPUs it stays as it
/// is. Throws SystemError.
void bind_rank(const JobPlan& plan, const RankIdentity& identity);

/// The number of the rank's GPU on its host, -1 for none.
int gpu_of(const JobPlan& plan, const RankIdentity& identity);

}  // namespace ringrun
