#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "launcher/engine/engine_kind.hpp"
#include "launcher/environment.hpp"
#include "lib/net/probe_endpoint.hpp"

namespace ringrun {

/// The engine's command with its whole environment.
struct EngineStart {
  std::vector<std::string> argv;
  Environment environment;
};

/// A host that must start ranks. `addresses` are those from which its daemon may connect; `local`: the engine runs
/// there.
struct StartedHost {
  std::string name;
  std::vector<std::string> addresses;
  int ranks = 0;
  bool local = false;
};

struct JobCommand {
  /// Path of this program, whose `__exec` starts the engine.
  std::string ringrun;
  EngineKind engine = EngineKind::openmpi4;
  EngineStart start;
  /// Show what the engine says about ranks whose own records say it better.
  bool keep_banners = false;
  /// The engine ends the job when a rank fails, unless it was told not to.
  bool ends_at_failure = true;
  /// End a job that hangs; else only say so.
  bool end_on_hang = false;
  /// How long nothing comes, behind a line that says the job cannot go on, where it hangs.
  std::chrono::seconds hang_timeout{10};
  /// How long after the engine's start every host must have started a rank.
  std::chrono::seconds start_timeout{30};
  /// How long the job may take.
  std::optional<std::chrono::seconds> timeout;
  /// In the plan's order.
  std::vector<StartedHost> hosts;
  /// The ports on which the engine may listen for its daemons; unset: any.
  std::optional<PortRange> daemon_ports = {};
  /// That of the plan; records of other jobs are not this one's.
  std::string run_id;
  int max_restarts = 0;
  /// What starts the job again after a failed rank, counted from 1, with the same run_id; needed where max_restarts is
  /// not 0.
  std::function<EngineStart(int restart)> renew;
};

/// Runs the engine's command to its end on ringrun's own standard streams, hands signals on to it, and ends it when
/// ringrun is killed, or where the job does not start in time. At a failure one report says on standard error which
/// rank failed first and how; what known lines of the output mean is said too: of those after which a job cannot go on
/// at once, of others when it has failed. After a failed rank the job is started again as often as it may be. Returns
/// the job's exit code: that of the first rank to fail, or else the engine's own; 128 + signal where ringrun was told
/// to stop, and where the reader of its output has gone (SIGPIPE); 3 where a host was lost, the job did not start, or
/// hung and was ended; 124 past the timeout. Throws SystemError.
int run_job(const JobCommand& command);

}  // namespace ringrun
