#pragma once

#include <string>
#include <vector>

#include "launcher/environment.hpp"

namespace ringrun {

struct JobCommand {
  /// Path of this program, whose `__exec` starts the engine.
  std::string ringrun;
  std::vector<std::string> argv;
  /// The whole environment.
  Environment environment;
  /// Show what the engine says about ranks whose own lines say it better.
  bool keep_banners = false;
  /// The engine ends the job when a rank fails, unless it was told not to.
  bool ends_at_failure = true;
};

/// Runs the engine's command to its end with ringrun's own standard streams, hands signals on to it, and ends it when
/// ringrun is killed. Returns the job's exit code: the engine's own, or 128 + signal where ringrun was told to stop.
int run_job(const JobCommand& command);

}  // namespace ringrun
