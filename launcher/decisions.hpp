#pragma once

#include <iosfwd>
#include <string>

#include "launcher/job/job.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/preflight/network_settings.hpp"

namespace ringrun {

/// The warnings, and under -v what was decided; `engine_line` is the engine's command.
void report_decisions(std::ostream& err, const LaunchContext& context, const Job& job, const NetworkSettings& settings,
                      const std::string& engine_line);

}  // namespace ringrun
