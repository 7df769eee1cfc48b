#pragma once

#include "launcher/job/job.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/run/job_process.hpp"

namespace ringrun {

/// How the engine's command of a job is run and watched.
JobCommand job_command(const LaunchContext& context, const Job& job, EngineStart start);

}  // namespace ringrun
