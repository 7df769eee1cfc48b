#pragma once

#include "launcher/engine/engine_command.hpp"
#include "launcher/job/job.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/preflight/network_settings.hpp"
#include "launcher/run/job_process.hpp"

namespace ringrun {

/// The job's plan whole, as it travels to the ranks.
JobPlan launch_plan(const LaunchContext& context, const Job& job, const NetworkSettings& settings);

/// The same command in ringrun's environment.
EngineStart engine_start(const LaunchContext& context, const EngineCommand& command);

/// The command for the job's start number `restart`, at which its ranks meet on another port.
EngineStart renewed_start(const LaunchContext& context, Job job, const NetworkSettings& settings, int restart);

}  // namespace ringrun
