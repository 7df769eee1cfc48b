#pragma once

#include "launcher/engine/engine_command.hpp"
#include "launcher/job/job.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/preflight/network_settings.hpp"

namespace ringrun {

/// Everything that the engine's command says, for a job whose plan is made.
EngineRequest engine_request(const LaunchContext& context, const Job& job, const NetworkSettings& settings);

}  // namespace ringrun
