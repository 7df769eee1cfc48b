#include "launcher/run/capture.hpp"

#include <signal.h>
#include <uv.h>

#include <functional>
#include <memory>

#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr std::size_t kMostOutput = std::size_t{16} << 20;
// A shell that leaves a child behind keeps the pipes open; what it had to say is there by then.
constexpr std::uint64_t kGraceAfterExitMs = 200;

/// One command from its start until every handle of it is closed.
class Capture {
 public:
  Capture(uv_loop_t& loop, const CaptureCommand& command, Captured& result, std::function<void()> closed)
      : command_(command), result_(result), closed_(std::move(closed)) {
    uv_pipe_init(&loop, &in_, 0);
    uv_pipe_init(&loop, &out_, 0);
    uv_pipe_init(&loop, &err_, 0);
    uv_timer_init(&loop, &timer_);
    for (uv_handle_t* handle : handles()) handle->data = this;
    process_.data = this;
    start(loop);
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

 private:
  std::vector<uv_handle_t*> handles() {
    return {reinterpret_cast<uv_handle_t*>(&in_), reinterpret_cast<uv_handle_t*>(&out_),
            reinterpret_cast<uv_handle_t*>(&err_), reinterpret_cast<uv_handle_t*>(&timer_)};
  }

  template <typename Handle>
  static Capture& self(Handle* handle) {
    return *static_cast<Capture*>(handle->data);
  }

  void start(uv_loop_t& loop) {
    std::vector<char*> argv;
    for (const std::string& word : command_.argv) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    uv_stdio_container_t stdio[3] = {};
    stdio[0].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_READABLE_PIPE);
    stdio[0].data.stream = reinterpret_cast<uv_stream_t*>(&in_);
    stdio[1].flags = stdio[2].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
    stdio[1].data.stream = reinterpret_cast<uv_stream_t*>(&out_);
    stdio[2].data.stream = reinterpret_cast<uv_stream_t*>(&err_);
    uv_process_options_t options{};
    options.file = argv[0];
    options.args = argv.data();
    options.flags = UV_PROCESS_DETACHED;
    options.stdio = stdio;
    options.stdio_count = 3;
    options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) { self(process).on_exit(code, signal); };
    const int status = uv_spawn(&loop, &process_, &options);
    spawned_ = true;
    if (status != 0) {
      result_.code = -status;
      finish();
      return;
    }
    running_ = true;
    open_ = 3;
    read(out_, result_.out);
    read(err_, result_.err);
    buffer_ = uv_buf_init(const_cast<char*>(command_.input.data()), static_cast<unsigned>(command_.input.size()));
    write_.data = this;
    // A command that does not read its input says so by its end.
    uv_write(&write_, reinterpret_cast<uv_stream_t*>(&in_), &buffer_, 1, [](uv_write_t*, int) {});
    if (command_.ends_input) uv_shutdown(&shutdown_, reinterpret_cast<uv_stream_t*>(&in_), [](uv_shutdown_t*, int) {});
    uv_timer_start(
        &timer_, [](uv_timer_t* timer) { self(timer).on_deadline(); },
        static_cast<std::uint64_t>(command_.deadline.count()), 0);
  }

  void read(uv_pipe_t& pipe, std::string& text) {
    (&pipe == &out_ ? out_text_ : err_text_) = &text;
    uv_read_start(
        reinterpret_cast<uv_stream_t*>(&pipe),
        [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
          *buffer = uv_buf_init(self(handle).chunk_, sizeof self(handle).chunk_);
        },
        [](uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
          self(stream).on_read(stream, count, buffer);
        });
  }

  void on_read(uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
    if (count < 0) {
      uv_read_stop(stream);
      ended();
      return;
    }
    std::string& text = *(stream == reinterpret_cast<uv_stream_t*>(&out_) ? out_text_ : err_text_);
    if (text.size() < kMostOutput) text.append(buffer->base, static_cast<std::size_t>(count));
  }

  void on_exit(std::int64_t code, int signal) {
    running_ = false;
    if (result_.end != Captured::End::timed_out) {
      result_.end = signal != 0 ? Captured::End::signalled : Captured::End::exited;
      result_.code = signal != 0 ? signal : static_cast<int>(code);
    }
    uv_timer_start(
        &timer_, [](uv_timer_t* timer) { self(timer).finish(); }, kGraceAfterExitMs, 0);
    ended();
  }

  void on_deadline() {
    result_.end = Captured::End::timed_out;
    if (running_) kill(-process_.pid, SIGKILL);
  }

  // The exit and the ends of both outputs, in any order.
  void ended() {
    if (--open_ == 0) finish();
  }

  void finish() {
    if (closing_) return;
    closing_ = true;
    std::vector<uv_handle_t*> all = handles();
    if (spawned_) all.push_back(reinterpret_cast<uv_handle_t*>(&process_));
    to_close_ = all.size();
    for (uv_handle_t* handle : all) {
      uv_close(handle, [](uv_handle_t* closed) {
        Capture& capture = self(closed);
        if (--capture.to_close_ == 0) capture.closed_();
      });
    }
  }

  const CaptureCommand& command_;
  Captured& result_;
  std::function<void()> closed_;
  uv_process_t process_{};
  uv_pipe_t in_{}, out_{}, err_{};
  uv_timer_t timer_{};
  uv_write_t write_{};
  uv_shutdown_t shutdown_{};
  uv_buf_t buffer_{};
  std::string* out_text_ = nullptr;
  std::string* err_text_ = nullptr;
  char chunk_[4096];
  int open_ = 0;
  std::size_t to_close_ = 0;
  bool spawned_ = false;
  bool running_ = false;
  bool closing_ = false;
};

}  // namespace

std::vector<Captured> capture_all(const std::vector<CaptureCommand>& commands, int at_once) {
  // libuv leaves this to the program: writing to a command that has ended must be an error, not the end.
  signal(SIGPIPE, SIG_IGN);
  uv_loop_t loop;
  if (const int status = uv_loop_init(&loop); status != 0)
    throw SystemError("uv_loop_init", uv_strerror(status), status);
  std::vector<Captured> results(commands.size());
  std::vector<std::unique_ptr<Capture>> captures(commands.size());
  std::size_t next = 0;
  std::function<void()> start_next = [&] {
    if (next == commands.size()) return;
    const std::size_t index = next++;
    captures[index] = std::make_unique<Capture>(loop, commands[index], results[index], start_next);
  };
  for (int i = 0; i < at_once; ++i) start_next();
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  return results;
}

}  // namespace ringrun
