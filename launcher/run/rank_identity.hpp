#pragma once

#include "lib/placement/job_plan.hpp"

namespace ringrun {

/// This process's rank as Open MPI numbers it, and its host as ringrun does, from the environment. Throws UserError.
RankIdentity read_rank_identity();

/// Sets what the plan gives this rank, and takes ringrun's own variables away.
void set_rank_environment(const JobPlan& plan, const RankIdentity& identity);

/// Binds this process to the CPUs of its row; without CPUs it stays as it is. Throws SystemError.
void bind_rank(const JobPlan& plan, const RankIdentity& identity);

/// "GPU 2", or "" for a rank without one.
std::string gpu_name(const JobPlan& plan, const RankIdentity& identity);

}  // namespace ringrun
