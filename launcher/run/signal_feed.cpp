#include "launcher/run/signal_feed.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/error.hpp"

namespace ringrun {
namespace {

struct Note {
  int signal;
  bool from_kernel;
};

int note_pipe = -1;

void write_note(int signal, siginfo_t* info, void*) {
  const int saved = errno;
  const Note note{signal, info->si_code > 0};
  // A full pipe means hundreds of signals that nobody has read: one more changes nothing.
  [[maybe_unused]] const ssize_t written = write(note_pipe, &note, sizeof note);
  errno = saved;
}

}  // namespace

SignalFeed::SignalFeed(uv_loop_t& loop, const std::vector<int>& signals, Receiver receiver)
    : signals_(signals), receiver_(std::move(receiver)) {
  if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) throw SystemError("pipe2", std::strerror(errno), errno);
  note_pipe = pipe_[1];
  uv_poll_init(&loop, &poll_, pipe_[0]);
  poll_.data = this;
  uv_poll_start(&poll_, UV_READABLE,
                [](uv_poll_t* poll, int, int) { static_cast<SignalFeed*>(poll->data)->on_readable(); });
  struct sigaction action {};
  action.sa_sigaction = write_note;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : signals_) sigaction(signal, &action, nullptr);
}

SignalFeed::~SignalFeed() {
  for (const int signal : signals_) ::signal(signal, SIG_DFL);
  note_pipe = -1;
  ::close(pipe_[0]);
  ::close(pipe_[1]);
}

void SignalFeed::close() {
  if (!closed_) uv_close(reinterpret_cast<uv_handle_t*>(&poll_), nullptr);
  closed_ = true;
}

void SignalFeed::on_readable() {
  Note note{};
  while (read(pipe_[0], &note, sizeof note) == static_cast<ssize_t>(sizeof note))
    receiver_(note.signal, note.from_kernel);
}

}  // namespace ringrun
