#include "launcher/run/output_sink.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/error.hpp"

namespace ringrun {
namespace {

// A pipe that has any room at all takes this much without waiting.
constexpr std::size_t kSurePiece = 4096;
constexpr std::size_t kMostKept = std::size_t{16} << 20;

// For what cannot be watched and yet has no room.
constexpr int kShortWaitMs = 500;

bool has_room(int fd, int wait_ms = 0) {
  pollfd entry{fd, POLLOUT, 0};
  return poll(&entry, 1, wait_ms) > 0;
}

}  // namespace

OutputSink::OutputSink(uv_loop_t& loop, int fd, std::function<void()> changed) : fd_(fd), changed_(std::move(changed)) {
  struct stat status {};
  if (fstat(fd, &status) != 0) return;
  if (S_ISSOCK(status.st_mode)) {
    kind_ = Kind::socket;
  } else if (S_ISFIFO(status.st_mode) || isatty(fd) != 0) {
    // Opened anew, it can be made not to wait without making others not wait, who share the caller's.
    const std::string path = "/proc/self/fd/" + std::to_string(fd);
    own_ = Descriptor(open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    kind_ = own_ ? Kind::own : Kind::shared;
  } else if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
    kind_ = Kind::shared;
  }
  if (kind_ == Kind::never_waits) return;
  // An epoll of its own inside the loop's: libuv would set flags that other processes share.
  room_ = Descriptor(epoll_create1(EPOLL_CLOEXEC));
  if (!room_) throw SystemError("epoll_create1", std::strerror(errno), errno);
  epoll_event event{};
  event.events = EPOLLOUT;
  if (epoll_ctl(room_.get(), EPOLL_CTL_ADD, kind_ == Kind::own ? own_.get() : fd_, &event) != 0) {
    // /dev/null: it always has room.
    if (errno == EPERM && kind_ == Kind::shared) {
      kind_ = Kind::never_waits;
      room_.reset();
      return;
    }
    throw SystemError("epoll_ctl", std::strerror(errno), errno);
  }
  if (const int code = uv_poll_init(&loop, &poll_, room_.get()); code != 0) {
    throw SystemError("uv_poll_init", uv_strerror(code), code);
  }
  poll_.data = this;
}

void OutputSink::write(std::string_view text) {
  cut_ = cut_ || kept() >= kMostKept;
  if (text.empty() || failure_ != 0 || cut_) return;
  at_line_start_ = text.back() == '\n';
  if (kept() == 0) text.remove_prefix(attempt(text));
  if (text.empty() || failure_ != 0) return;
  kept_ += text;
  wait_for_reader();
}

std::size_t OutputSink::attempt(std::string_view text) {
  std::size_t done = 0;
  while (done < text.size()) {
    std::size_t piece = text.size() - done;
    if (kind_ == Kind::shared) {
      if (!has_room(fd_)) break;
      piece = std::min(piece, kSurePiece);
    }
    const ssize_t count = kind_ == Kind::socket
                              ? send(fd_, text.data() + done, piece, MSG_DONTWAIT | MSG_NOSIGNAL)
                              : ::write(kind_ == Kind::own ? own_.get() : fd_, text.data() + done, piece);
    if (count >= 0) {
      done += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN && kind_ == Kind::never_waits) {
      // Someone made it not wait, and it cannot be watched. Waiting without end would keep Ctrl-C from being heard.
      if (!has_room(fd_, kShortWaitMs)) failure_ = EAGAIN;
      if (failure_ != 0) break;
    } else if (errno == EAGAIN) {
      break;
    } else if (errno != EINTR) {
      failure_ = errno;
      break;
    }
  }
  return done;
}

void OutputSink::wait_for_reader() {
  if (waiting_) return;
  waiting_ = true;
  uv_poll_start(&poll_, UV_READABLE,
                [](uv_poll_t* poll, int, int) { static_cast<OutputSink*>(poll->data)->on_writable(); });
}

void OutputSink::on_writable() {
  if (failure_ == 0) written_ += attempt(std::string_view(kept_).substr(written_));
  if (failure_ == 0 && kept() > 0) return;
  kept_.clear();
  written_ = 0;
  waiting_ = false;
  uv_poll_stop(&poll_);
  changed_();
}

void OutputSink::close() {
  kept_.clear();
  written_ = 0;
  if (kind_ != Kind::never_waits) uv_close(reinterpret_cast<uv_handle_t*>(&poll_), nullptr);
}

}  // namespace ringrun
