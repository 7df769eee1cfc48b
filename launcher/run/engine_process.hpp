#pragma once

#include <uv.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace ringrun {

/// How the engine ended: its exit code, or the signal that killed it.
struct EngineEnd {
  int code = 0;
  int signal = 0;
};

/// The engine's process, which gets ringrun's own standard input.
class EngineProcess {
 public:
  /// mpirun 4.1 takes two seconds from TERM to KILL of its ranks.
  static constexpr std::chrono::seconds kPatience{10};

  /// `impatient` is called when an engine that was told to end is killed. Throws SystemError.
  EngineProcess(uv_loop_t& loop, std::function<void(EngineEnd)> ended, std::function<void()> impatient);
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  /// Descriptors `out` and `err` become its outputs. Returns libuv's code.
  int start(std::vector<std::string> words, std::vector<std::string> variables, int out, int err);

  void forward(int signal);

  /// It was told to end, and is killed where it does not, as where a daemon no longer answers it; at once where it has
  /// neither processes nor connections left to wait for (prterun 5.0.7 sometimes stands still in its own end).
  void expect_end(std::chrono::seconds patience = kPatience);

  bool running() const { return running_; }
  int pid() const { return process_.pid; }
  bool told_to_end() const { return told_to_end_; }

  /// Lets the loop end, whose next round still needs this object.
  void close();

 private:
  void on_idle_tick();

  std::function<void(EngineEnd)> ended_;
  std::function<void()> impatient_;
  uv_process_t process_{};
  uv_timer_t patience_{};
  uv_timer_t idle_{};
  int idle_ticks_ = 0;
  bool started_ = false;
  bool running_ = false;
  bool told_to_end_ = false;
};

}  // namespace ringrun
