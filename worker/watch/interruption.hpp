#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace ringrun::worker {

/// Takes SIGINT, SIGTERM and, unless it is ignored (nohup), SIGHUP in a thread of its own, which can write and wait,
/// while the others may be stuck. To be made before any other thread, so that all of them leave the signals to this
/// one.
class Interruption {
 public:
  /// `on_signal` is called once, with the signal's name; then the process ends by that signal.
  explicit Interruption(std::function<void(const char*)> on_signal);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  void wait(const sigset_t& awaited, const std::function<void(const char*)>& on_signal) const;

  sigset_t taken_{};
  sigset_t before_{};
  std::thread thread_;
};

}  // namespace ringrun::worker
