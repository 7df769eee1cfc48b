#pragma once

#include <uv.h>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "launcher/run/output_sink.hpp"

namespace ringrun {

/// What the engine writes to one of its output streams.
class EnginePipe {
 public:
  /// `text` gets the bytes as they come, `ended` is called once after the last. Throws SystemError.
  EnginePipe(uv_loop_t& loop, std::function<void(std::string_view)> text, std::function<void()> ended);
  EnginePipe(const EnginePipe&) = delete;
  EnginePipe& operator=(const EnginePipe&) = delete;

  /// The end that the engine gets.
  int writing_end() const { return writing_end_.get(); }

  /// Once the engine has its end.
  void start();

  /// While it is paused the engine waits for room in the pipe.
  void pause();
  void resume();
  bool paused() const { return paused_; }
  bool at_end() const { return at_end_; }

  /// Lets the loop end, whose next round still needs this object.
  void close();

 private:
  void read();
  void on_read(ssize_t count);
  void rest_if_hurried();

  std::function<void(std::string_view)> text_;
  std::function<void()> ended_;
  Descriptor writing_end_;
  uv_pipe_t pipe_{};
  uv_timer_t rest_{};
  std::vector<char> chunk_;
  std::uint64_t moment_ = 0;  ///< of the loop, ms
  int reads_in_moment_ = 0;
  bool resting_ = false;
  bool started_ = false;
  bool paused_ = false;
  bool at_end_ = false;
};

}  // namespace ringrun
