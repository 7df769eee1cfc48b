#pragma once

#include "launcher/job/job.hpp"
#include "launcher/launch_context.hpp"

namespace ringrun {

/// Behind a job that srun has left: kills what of its step is still there, on this host, and on every host while Slurm
/// knows the step. Slurm gives ranks that ignore SIGTERM half a minute (KillWait), in which it hears no other wish, and a
/// killed srun may end nothing at all.
void end_slurm_ranks(const LaunchContext& context, const Job& job);

}  // namespace ringrun
