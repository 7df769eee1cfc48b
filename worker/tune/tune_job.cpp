#include "worker/tune/tune_job.hpp"

#include <algorithm>

namespace ringrun::worker {

std::optional<Unsupported> refusal_to_tune(const Options& options, const BackendDecision& decision, int processes,
                                           int groups) {
  if (!decision.nccl) {
    return Unsupported("--tune: what it tries are settings of NCCL, and this job would use MPI on host memory",
                       "tune on hosts whose GPUs can be used; MPI's own settings are parameters of mpirun (--mca)");
  }
  if (processes * options.ranks_of_process() == 1) {
    return Unsupported(
        "--tune: one rank sends nothing, so there is nothing to tune",
        "start a rank on every GPU of every host, as the job will: ringrun -hostfile FILE worker --tune");
  }
  if (groups > 1) {
    return Unsupported("--tune: groups (NCCL_TESTS_SPLIT) would disturb each other's trials",
                       "tune all ranks together, or start one group alone");
  }
  return std::nullopt;
}

TuneJob tune_job(const Options& options, const std::vector<ProcessFacts>& facts) {
  TuneJob job;
  job.command = {"/proc/self/exe", kTrialArgument};
  job.task.operation.kind = options.plan.kind;
  job.task.operation.type = options.plan.types.front();
  job.task.operation.op = options.plan.ops.front();
  job.task.operation.root = options.plan.roots.front();
  job.task.sizes = options.plan.sizes;
  job.budget = options.tune_seconds;
  job.first_deadline = options.tune_seconds;
  if (options.init_timeout > 0) job.first_deadline = std::min(job.first_deadline, options.init_timeout);
  job.timeout = options.init_timeout;
  for (const ProcessFacts& process : facts) {
    job.hosts.push_back(process.host);
    job.leaders.push_back(process.leader);
  }
  return job;
}

}  // namespace ringrun::worker
