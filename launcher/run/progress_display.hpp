#pragma once

#include <unistd.h>
#include <uv.h>

#include <string>

#include "launcher/run/output_sink.hpp"

namespace ringrun {

/// A program's progress on ringrun's own terminal (standard error): one line below all that the job prints, written
/// over and over.
class ProgressDisplay {
 public:
  explicit ProgressDisplay(uv_loop_t& loop) : terminal_(loop, STDERR_FILENO, [] {}) {}

  /// What is shown from now on; "" for nothing.
  void set(const std::string& text);
  /// Before other text is written.
  void hide();
  /// After it, where the streams are between two lines and their readers keep up.
  void show_below(const OutputSink& out, const OutputSink& err);
  void end() { set(""); }
  void close() { terminal_.close(); }

 private:
  /// Apart from the stream of the same terminal, whose lines it leaves alone.
  OutputSink terminal_;
  std::string text_;
  bool shown_ = false;
};

}  // namespace ringrun
