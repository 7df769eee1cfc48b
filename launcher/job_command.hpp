#pragma once

#include "launcher/job/job.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/preflight/network_settings.hpp"
#include "launcher/run/job_process.hpp"

namespace ringrun {

/// How the engine's command of a job is run and watched. The result refers to the arguments. Throws UserError for a
/// MPIEXEC_TIMEOUT that is no number.
JobCommand job_command(const LaunchContext& context, const Job& job, const NetworkSettings& settings,
                       EngineStart start);

}  // namespace ringrun
