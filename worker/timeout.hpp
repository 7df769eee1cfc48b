#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/mpi/arrivals.hpp"
#include "worker/watch/watch.hpp"

namespace ringrun::worker {

/// What happens when a wait outlasts its deadline: for mpi::kListening more, the ranks are listened to. Where the wait
/// ends meanwhile the process goes on. Else those that have not spoken are named as missing, once for the whole job,
/// and this process ends with ExitCode::kTimeout, which makes the launcher end the others.
class TimeoutReport {
 public:
  /// `last_words` tells what is known so far, from the watch's thread, while others may be stuck.
  explicit TimeoutReport(std::function<void()> last_words) : last_words_(std::move(last_words)) {}

  /// The callbacks use this object until their Watch has ended.
  Watch::Callbacks callbacks();

  /// Better names than the launcher's, as soon as they are known: for each process "b".
  void set_hosts(std::vector<std::string> hosts);

 private:
  /// Returns where the phase has ended meanwhile.
  void end_job(const WatchedPhase& phase, Watch& watch);
  /// `arrivals`: nothing where the launcher cannot be asked.
  std::string report(const WatchedPhase& phase, const std::optional<mpi::Arrivals>& arrivals);
  /// MPI has carried a word of every rank to this one.
  bool has_heard_from_others();
  std::string name_ranks(const std::vector<int>& ranks);

  std::function<void()> last_words_;
  std::mutex mutex_;
  std::vector<std::string> hosts_;
};

}  // namespace ringrun::worker
