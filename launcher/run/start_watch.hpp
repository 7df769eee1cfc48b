#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "launcher/engine/engine_kind.hpp"
#include "launcher/run/job_process.hpp"
#include "launcher/run/rank_record.hpp"

namespace ringrun {

/// How far a host has come on the way to its first rank.
enum class StartStage {
  shell,          ///< the remote shell has not run the daemon's command
  shell_failed,   ///< it has ended without running it
  daemon_failed,  ///< the daemon has ended
  daemon,         ///< the daemon has not connected to the engine
  engine_port,    ///< it cannot: the engine listens on none of the ports that it may use
  wrapper,        ///< the daemon is there and no rank
  step            ///< srun's step, whose parts cannot be seen
};

/// Which hosts have started their ranks, and what the others wait for.
class StartWatch {
 public:
  /// `hosts` outlive it. `tells_shells`: the remote shells are ringrun's own, which tell how far they come.
  StartWatch(const std::vector<StartedHost>& hosts, EngineKind engine, bool tells_shells);

  void add(const ShellRecord& record);
  void add(const StartRecord& record);

  bool complete() const { return waiting_.empty(); }

  /// The first host whose remote shell ended with a failure when its ranks had started, "" for none: Open MPI 5's
  /// daemon stays in the foreground of its shell, and ends with it.
  const std::string& lost_host() const { return lost_host_; }

  bool has_reached_hosts() const { return !reached_.empty(); }

  /// No record of any rank has come.
  bool is_deaf() const { return !heard_; }

  /// A remote shell has ended with a failure before its host had a rank: it will not have one any more.
  bool has_failed_shell() const { return !failed_.empty(); }

  /// The first rank starts when every daemon is there, so the hosts behind are those of the least stage. `connected`
  /// are the addresses from which the engine has a connection. Not for a complete start.
  struct Stalled {
    StartStage stage = StartStage::wrapper;
    std::vector<std::string> hosts;
    int code = 0;  ///< of the first of these hosts' remote shells that failed
  };
  Stalled stalled(const std::set<std::string>& connected) const;

 private:
  StartStage stage_of(int host, const std::set<std::string>& connected) const;

  const std::vector<StartedHost>& hosts_;
  EngineKind engine_;
  bool tells_shells_;
  std::set<int> waiting_;
  bool heard_ = false;
  std::set<int> reached_;
  std::string lost_host_;
  std::map<int, int> failed_;
};

/// What a stalled start waits for, in words: "the remote shell to b has not run mpirun's daemon".
std::string stall_words(const StartWatch::Stalled& stalled);

/// What to look at.
std::string stall_remedy(const StartWatch::Stalled& stalled);

}  // namespace ringrun
