#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "worker/watch/watch.hpp"

namespace ringrun::worker {

/// What happens when a wait outlasts its deadline: the ranks that did not arrive are named, once for the whole job, and
/// this process ends with ExitCode::kTimeout, which makes the launcher end the others.
class TimeoutReport {
 public:
  /// `last_words` tells what is known so far, from the watch's thread, while others may be stuck.
  explicit TimeoutReport(std::function<void()> last_words) : last_words_(std::move(last_words)) {}

  /// The callbacks use this object until their Watch has ended.
  Watch::Callbacks callbacks();

  /// Better names than the launcher's, as soon as they are known: for each process "b".
  void set_hosts(std::vector<std::string> hosts);

 private:
  [[noreturn]] void end_job(const WatchedPhase& phase);
  /// MPI has carried a word of every rank to this one.
  bool has_heard_from_others();
  std::string name_ranks(const std::vector<int>& ranks);

  std::function<void()> last_words_;
  std::mutex mutex_;
  std::vector<std::string> hosts_;
};

}  // namespace ringrun::worker
