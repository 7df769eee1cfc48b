#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/run/banner_filter.hpp"
#include "launcher/run/engine_pipe.hpp"
#include "launcher/run/engine_process.hpp"
#include "launcher/run/job_process.hpp"
#include "launcher/run/output_sink.hpp"
#include "launcher/run/output_watch.hpp"

namespace ringrun {

/// The engine and its two output streams, from its start to their last byte.
class RunningJob {
 public:
  /// `command` outlives it. Throws SystemError.
  RunningJob(uv_loop_t& loop, const JobCommand& command);
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;

  /// `ended` is called when nothing of it is left in the loop. Returns libuv's code.
  int start(std::vector<std::string> words, std::vector<std::string> variables, std::function<void()> ended);

  void forward(int signal) { engine_.forward(signal); }

  /// ringrun was told to stop by this signal, and the engine has it.
  void expect_end(int signal);

  /// Of the ended job.
  int exit_code() const;

 private:
  /// What ends a job before it does by itself.
  enum class Cause { none, user, hang, reader };

  void on_out(std::string_view text);
  void on_err(std::string_view text);
  void tell(const Findings& findings);
  void watch_for_hang();
  void say(const std::string& line);
  void balance();
  void on_tick();
  void end_it(Cause cause);
  void on_engine_end(EngineEnd end);
  void on_patience_end();
  void on_grace_end();
  void settle();
  void report();
  void close();
  void release_banner();

  template <void (RunningJob::*method)()>
  static void start_timer(uv_timer_t& timer, std::uint64_t ms, std::uint64_t repeat = 0) {
    const auto callback = [](uv_timer_t* fired) { (static_cast<RunningJob*>(fired->data)->*method)(); };
    uv_timer_start(&timer, callback, ms, repeat);
  }

  const JobCommand& command_;
  std::function<void()> ended_;
  OutputSink out_;
  OutputSink err_;
  EnginePipe out_pipe_;
  EnginePipe err_pipe_;
  EngineProcess engine_;
  BannerFilter filter_;
  OutputWatch watch_;
  uv_timer_t banner_timer_{};
  uv_timer_t tick_{};
  uv_timer_t grace_{};
  std::optional<EngineEnd> end_;
  Cause cause_ = Cause::none;
  int signal_ = 0;  ///< the user's
  bool loss_told_ = false;
  bool grace_over_ = false;
  bool reported_ = false;
  bool closed_ = false;
  std::size_t kept_ = 0;    ///< when last asked
  std::uint64_t read_ = 0;  ///< bytes
  std::uint64_t read_then_ = 0;
  int exit_code_ = 0;
};

}  // namespace ringrun
