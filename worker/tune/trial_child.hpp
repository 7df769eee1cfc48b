#pragma once

namespace ringrun::worker {

/// The life of a trial's process (kTrialArgument), from its task on kTrialDescriptor to its answer; ends when the line
/// is closed, or with its parent. Without MPI: NCCL reads most of its variables once in a process, and the process of
/// the job goes on. Returns the exit code.
int run_trial_child();

}  // namespace ringrun::worker
