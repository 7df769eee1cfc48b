#pragma once

#include <uv.h>

#include <chrono>
#include <functional>
#include <string>

#include "launcher/run/job_process.hpp"
#include "launcher/run/start_watch.hpp"

namespace ringrun {

/// Watches a job's start by its loop's clock: says after 5 s of silence what it waits for, and when the time is over.
class StartTimer {
 public:
  /// Lines with their ends, the first without "ringrun: "; `over`: the job is to be ended.
  struct Event {
    std::string lines;
    bool over = false;
  };

  /// `command` outlives it.
  StartTimer(uv_loop_t& loop, const JobCommand& command, std::function<void(const Event&)> event);
  StartTimer(const StartTimer&) = delete;
  StartTimer& operator=(const StartTimer&) = delete;

  /// From now on; `engine` is its process.
  void start(int engine);
  void add(const ShellRecord& record) { watch_.add(record); }
  void add(const StartRecord& record);

  /// Ranks have printed something: where none has sent a record, records do not come through, and say nothing.
  void on_output() {
    if (watch_.is_deaf()) stop();
  }

  void stop() { uv_timer_stop(&timer_); }
  void close() { uv_close(reinterpret_cast<uv_handle_t*>(&timer_), nullptr); }

  const std::string& lost_host() const { return watch_.lost_host(); }

  /// A remote shell has run a daemon's command.
  bool has_reached_hosts() const { return watch_.has_reached_hosts(); }

  /// Why no rank can start, where a remote shell has failed, as lines; "" otherwise.
  std::string failed_start() const;

 private:
  void on_tick();
  StartWatch::Stalled stalled() const;

  const JobCommand& command_;
  std::function<void(const Event&)> event_;
  StartWatch watch_;
  uv_timer_t timer_{};
  int engine_ = 0;
  std::uint64_t asked_ms_ = 0;
  std::chrono::milliseconds waited_{0};
  bool warned_ = false;
};

}  // namespace ringrun
