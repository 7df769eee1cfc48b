#pragma once

#include <chrono>
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
  /// End a job that hangs; else only say so.
  bool end_on_hang = false;
  /// How long nothing comes, behind a line that says the job cannot go on, where it hangs.
  std::chrono::seconds hang_timeout{10};
};

/// Runs the engine's command to its end on ringrun's own standard streams, hands signals on to it, and ends it when
/// ringrun is killed. What known lines of the output mean is said on standard error: of those after which a job cannot
/// go on at once, of others when it has failed. Returns the job's exit code: the engine's own; 128 + signal where
/// ringrun was told to stop, and where the reader of its output has gone (SIGPIPE); 3 where a host was lost, or the job
/// hung and was ended. Throws SystemError.
int run_job(const JobCommand& command);

}  // namespace ringrun
