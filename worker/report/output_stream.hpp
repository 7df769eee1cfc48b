#pragma once

#include <atomic>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace ringrun::worker {

/// Writes to an open file. A pipe that was opened without waiting for its reader waits a few seconds for him to take
/// something. False with errno set.
bool write_all(int descriptor, std::string_view text);

/// Opens for writing, at the file's begin and as it is, or with `flags` beside. For the reader of a pipe it waits a few
/// seconds. -1 with errno set: ENXIO where there is none.
int open_to_write(const std::string& path, int flags = 0);

/// From here on, writing to a pipe whose reader has left is an error of that pipe (EPIPE), and no silent end of the
/// process. Programs that this one starts are not concerned. Where it is ignored, that stays.
void survive_readers();

/// A stream to an open file that keeps why a write has failed: those of the standard forget it.
class OutputStream : public std::ostream {
 public:
  enum class WithoutReader { kFails, kEndsTheProcess };
  /// The file stays the caller's. Where the process shall end with the reader of a pipe, it ends as a program does that
  /// knows nothing of pipes.
  explicit OutputStream(int descriptor, WithoutReader without_reader = WithoutReader::kFails);
  OutputStream(const OutputStream&) = delete;
  OutputStream& operator=(const OutputStream&) = delete;
  ~OutputStream() override { flush(); }

  /// errno of the first write that failed; 0: none has.
  int error() const { return buffer_.error(); }

 private:
  class Buffer : public std::streambuf {
   public:
    Buffer(int descriptor, WithoutReader without_reader);
    int error() const { return error_; }

   protected:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize count) override;
    int sync() override;

   private:
    bool write_out();

    int descriptor_;
    WithoutReader without_reader_;
    std::atomic<int> error_{0};
    std::mutex mutex_;  ///< of the text: several threads may print, as they may to std::cout
    std::string text_;
  };

  Buffer buffer_;
};

}  // namespace ringrun::worker
