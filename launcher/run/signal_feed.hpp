#pragma once

#include <uv.h>

#include <functional>
#include <vector>

namespace ringrun {

/// Signals as events of a libuv loop, with what libuv's own do not tell: whether the kernel sent one to the whole
/// foreground group (Ctrl-C) or a process sent it to this one alone. One at a time in a process.
class SignalFeed {
 public:
  using Receiver = std::function<void(int signal, bool from_terminal)>;

  /// Throws SystemError.
  SignalFeed(uv_loop_t& loop, const std::vector<int>& signals, Receiver receiver);
  SignalFeed(const SignalFeed&) = delete;
  SignalFeed& operator=(const SignalFeed&) = delete;
  ~SignalFeed();

  /// Stops keeping the loop alive; call before the loop's last run.
  void close();

 private:
  void on_readable();

  std::vector<int> signals_;
  Receiver receiver_;
  int pipe_[2] = {-1, -1};
  uv_poll_t poll_{};
  bool closed_ = false;
};

}  // namespace ringrun
