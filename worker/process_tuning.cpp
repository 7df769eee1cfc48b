#include <cerrno>
#include <cstring>
#include <ostream>

#include "lib/error.hpp"
#include "worker/backend/mpi_alarm.hpp"
#include "worker/process.hpp"
#include "worker/tune/tune_job.hpp"
#include "worker/tune/tuning.hpp"

namespace ringrun::worker {

int Process::tune(const GpuLibrary& library) {
  if (const auto refusal = refusal_to_tune(options_, decision_, team_.processes(), team_.groups()))
    return refuse(*refusal);
  name_host_for_nccl();
  TuneJob job = tune_job(options_, facts_);
  job.task.placement = gpu_placement();
  job.task.settings = gpu_settings();
  job.task.operation.ranks = job.task.placement.ranks;
  if (is_first()) {
    tune_report_ = std::make_unique<TuneReport>(out_, describe(library, options_, job.task.placement.ranks),
                                                options_.tune_seconds, options_.json_file);
    reporting_ = tune_report_.get();
  }
  MpiAlarm alarm;
  const TuneAlarm by_mpi{[&](int trial) { alarm.raise(trial); }, [&](int trial) { return alarm.is_raised(trial); }};
  const ExitCode code = run_tuning(job, team_, watch_, by_mpi, tune_report_.get());
  return leave(code);
}

}  // namespace ringrun::worker
