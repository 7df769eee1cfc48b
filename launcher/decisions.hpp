#pragma once

#include <iosfwd>
#include <string>

#include "launcher/job/job.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/launcher.hpp"
#include "launcher/preflight/network_settings.hpp"
#include "launcher/staging/program_staging.hpp"

namespace ringrun {

/// The warnings, and under -v what was decided; `engine_line` is the engine's command.
void report_decisions(std::ostream& err, const LaunchContext& context, const Job& job, const NetworkSettings& settings,
                      const std::string& engine_line);

/// Writes ringrun's process id to standard output ("-"), standard error ("+") or a file. Throws UserError.
void report_pid(const Streams& streams, const std::string& where);

/// One line for each file that was copied; none with -q.
void say_copied(std::ostream& err, const LaunchRequest& request, const std::map<std::string, CopiedFile>& copied);

}  // namespace ringrun
