#pragma once

#include <string>
#include <vector>

#include "launcher/run/job_process.hpp"

namespace ringrun {

/// Of a job that did not start: a daemon that cannot connect to the engine does not hear that the engine has ended, and
/// would try on for minutes. Ends the job's processes on every remote host through its remote shell, within seconds.
void end_leftover_daemons(const JobCommand& command);

/// `ringrun __end RUN [ranks]`: kills this user's processes on this host that carry the run's id in their environment;
/// with the second word it kills wrappers of ranks, lets their reapers end what is below, and kills what is left of the
/// ranks' own.
inline constexpr const char* kRanksAlone = "ranks";
int run_end(const std::vector<std::string>& words);

}  // namespace ringrun
