#pragma once

#include <uv.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/run/banner_filter.hpp"
#include "launcher/run/engine_pipe.hpp"
#include "launcher/run/engine_process.hpp"
#include "launcher/run/job_end.hpp"
#include "launcher/run/job_process.hpp"
#include "launcher/run/output_sink.hpp"
#include "launcher/run/output_watch.hpp"
#include "launcher/run/progress_display.hpp"
#include "launcher/run/rank_ledger.hpp"
#include "launcher/run/record_reader.hpp"
#include "launcher/run/start_timer.hpp"
#include "launcher/run/step_timer.hpp"

namespace ringrun {

/// The engine and its two output streams, from its start to their last byte.
class RunningJob {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `command` outlives it; `deadline` is that of all attempts. Throws SystemError.
  RunningJob(uv_loop_t& loop, const JobCommand& command, std::optional<TimePoint> deadline);
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;

  /// `ended` is called when nothing of it is left in the loop. Returns libuv's code.
  int start(std::vector<std::string> words, std::vector<std::string> variables, std::function<void()> ended);

  void forward(int signal) { engine_.forward(signal); }

  /// ringrun was told to stop by this signal, and the engine has it. Told again, it ends the engine by force.
  void expect_end(int signal);

  /// Of the ended job.
  const JobVerdict& verdict() const { return verdict_; }

  /// No rank has started, and daemons may be left that do not hear of the engine's end.
  bool leaves_daemons() const { return !ranks_.any_started() && start_.has_reached_hosts(); }

 private:
  void on_out(std::string_view text);
  void on_err(std::string_view text);
  void show_err(const std::string& text);
  void write_err(std::string_view text);
  void take(const Record& record);
  bool has_killed_rank() const;
  void tell(const Findings& findings);
  void watch_for_hang();
  void say(const std::string& lines);
  void balance();
  void on_tick();
  void on_lost(const std::string& host);
  void on_timeout();
  void on_stall(const StartTimer::Event& event);
  void end_it(EndCause cause);
  std::chrono::seconds patience() const;
  void on_engine_end(EngineEnd end);
  void on_patience_end();
  void on_grace_end();
  void settle();
  void report();
  void close();
  void release_held();

  template <void (RunningJob::*method)()>
  static void start_timer(uv_timer_t& timer, std::uint64_t ms, std::uint64_t repeat = 0) {
    const auto callback = [](uv_timer_t* fired) { (static_cast<RunningJob*>(fired->data)->*method)(); };
    uv_timer_start(&timer, callback, ms, repeat);
  }

  const JobCommand& command_;
  std::optional<TimePoint> deadline_;
  std::function<void()> ended_;
  OutputSink out_;
  OutputSink err_;
  ProgressDisplay progress_;
  EnginePipe out_pipe_;
  EnginePipe err_pipe_;
  EngineProcess engine_;
  RecordReader records_;
  BannerFilter filter_;
  OutputWatch watch_;
  RankLedger ranks_;
  StepTimer steps_;
  StartTimer start_;
  uv_timer_t held_timer_{};
  uv_timer_t tick_{};
  uv_timer_t grace_{};
  uv_timer_t timeout_{};
  std::optional<EngineEnd> end_;
  EndCause cause_ = EndCause::engine;
  int signal_ = 0;  ///< the user's
  std::optional<TimePoint> first_failure_;
  std::optional<TimePoint> loss_;
  /// Which `steps_` found.
  std::string lost_host_;
  std::string recent_;  ///< what standard error has shown last
  bool loss_told_ = false;
  bool grace_over_ = false;
  bool reported_ = false;
  bool closed_ = false;
  std::size_t kept_ = 0;    ///< when last asked
  std::uint64_t read_ = 0;  ///< bytes
  std::uint64_t read_then_ = 0;
  JobVerdict verdict_;
};

}  // namespace ringrun
