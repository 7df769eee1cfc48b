#include "worker/report/output_stream.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

namespace ringrun::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// For the reader of a pipe to open it, or to take some of it.
constexpr milliseconds kForTheReader{5000};

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      if (::poll(&room, 1, static_cast<int>(kForTheReader.count())) == 0) {
        errno = ETIMEDOUT;
        return false;
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// A pipe without a reader refuses at once (ENXIO) what does not wait for one.
int open_to_write(const std::string& path, int flags) {
  const auto end = steady_clock::now() + kForTheReader;
  while (true) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | flags, 0666);
    if (descriptor >= 0 || errno != ENXIO || steady_clock::now() > end) return descriptor;
    std::this_thread::sleep_for(milliseconds(20));
  }
}

void survive_readers() {
  if (is_ignored(SIGPIPE)) return;
  // A handler, since a program that is started inherits what is ignored, and no handler.
  struct sigaction action {};
  action.sa_handler = [](int) {};
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGPIPE, &action, nullptr);
}

OutputStream::OutputStream(int descriptor, WithoutReader without_reader)
    : std::ostream(nullptr), buffer_(descriptor, without_reader) {
  rdbuf(&buffer_);
}

OutputStream::Buffer::Buffer(int descriptor, WithoutReader without_reader)
    : descriptor_(descriptor), without_reader_(without_reader) {}

OutputStream::Buffer::int_type OutputStream::Buffer::overflow(int_type letter) {
  const char text = traits_type::to_char_type(letter);
  const bool is_end = traits_type::eq_int_type(letter, traits_type::eof());
  return is_end || xsputn(&text, 1) == 1 ? traits_type::not_eof(letter) : traits_type::eof();
}

std::streamsize OutputStream::Buffer::xsputn(const char* text, std::streamsize count) {
  constexpr std::size_t kMostKept = 4096;
  const std::lock_guard lock(mutex_);
  text_.append(text, static_cast<std::size_t>(count));
  return text_.size() < kMostKept || write_out() ? count : 0;
}

int OutputStream::Buffer::sync() {
  const std::lock_guard lock(mutex_);
  return write_out() ? 0 : -1;
}

bool OutputStream::Buffer::write_out() {
  const std::string text = std::exchange(text_, {});
  if (write_all(descriptor_, text)) return true;
  if (error_ == 0) error_ = errno;
  if (error_ == EPIPE && without_reader_ == WithoutReader::kEndsTheProcess && !is_ignored(SIGPIPE)) {
    ::signal(SIGPIPE, SIG_DFL);
    ::raise(SIGPIPE);
  }
  return false;
}

}  // namespace ringrun::worker
