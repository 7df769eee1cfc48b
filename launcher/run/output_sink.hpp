#pragma once

#include <uv.h>

#include <functional>
#include <string>
#include <string_view>

#include "lib/descriptor.hpp"

namespace ringrun {

/// One of ringrun's own output streams, written to without waiting for its reader: a pager that nobody scrolls must not
/// keep Ctrl-C from being heard. What the reader does not take yet is kept, and follows in order; who writes on
/// although 16 MiB are kept loses what comes from there on.
class OutputSink {
 public:
  /// `changed` is called from the loop when all that was kept has been written, or cannot be. `fd` stays the caller's,
  /// and its flags, which other processes share, stay as they are. Throws SystemError.
  OutputSink(uv_loop_t& loop, int fd, std::function<void()> changed);
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;

  void write(std::string_view text);

  /// Bytes that wait for the reader.
  std::size_t kept() const { return kept_.size() - written_; }
  bool at_line_start() const { return at_line_start_; }

  /// Why nothing more can be written, an errno (EPIPE: the reader has gone); 0 while it can. All text is dropped then.
  int failure() const { return failure_; }

  /// Lets the loop end, whose next round still needs this object. What is kept is dropped.
  void close();

 private:
  std::size_t attempt(std::string_view text);
  void wait_for_reader();
  void on_writable();

  enum class Kind {
    never_waits,  ///< a file, or what cannot be watched
    own,          ///< a pipe or terminal, opened anew
    socket,
    shared  ///< a pipe or terminal of another user, another device
  };

  int fd_;
  std::function<void()> changed_;
  Kind kind_ = Kind::never_waits;
  Descriptor own_;
  Descriptor room_;
  uv_poll_t poll_{};
  bool waiting_ = false;
  bool at_line_start_ = true;
  bool cut_ = false;
  int failure_ = 0;
  std::string kept_;
  std::size_t written_ = 0;
};

}  // namespace ringrun
