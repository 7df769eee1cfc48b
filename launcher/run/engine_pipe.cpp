#include "launcher/run/engine_pipe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/error.hpp"

namespace ringrun {
namespace {

// Linux lets everyone have this much; the engine fills it while ringrun is not on a CPU.
constexpr int kCapacity = 1 << 20;
constexpr std::size_t kChunk = std::size_t{256} << 10;
// mpirun writes 4 KiB at a time. Where so many come within a millisecond, the next are taken together a millisecond
// later: the CPU time of waking for each is better spent by the ranks.
constexpr int kHurry = 4;
constexpr std::uint64_t kRestMs = 1;

EnginePipe& self(void* data) { return *static_cast<EnginePipe*>(data); }

}  // namespace

EnginePipe::EnginePipe(uv_loop_t& loop, std::function<void(std::string_view)> text, std::function<void()> ended)
    : text_(std::move(text)), ended_(std::move(ended)), chunk_(kChunk) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw SystemError("pipe2", std::strerror(errno), errno);
  Descriptor reading_end(ends[0]);
  writing_end_ = Descriptor(ends[1]);
  // Where it is refused, the pipe is a smaller one.
  static_cast<void>(fcntl(ends[0], F_SETPIPE_SZ, kCapacity));
  if (int status = uv_pipe_init(&loop, &pipe_, 0); status != 0) {
    throw SystemError("uv_pipe_init", uv_strerror(status), status);
  }
  if (int status = uv_pipe_open(&pipe_, reading_end.get()); status != 0) {
    throw SystemError("uv_pipe_open", uv_strerror(status), status);
  }
  reading_end.release();
  uv_timer_init(&loop, &rest_);
  pipe_.data = rest_.data = this;
}

void EnginePipe::start() {
  writing_end_.reset();
  started_ = true;
  read();
}

void EnginePipe::read() {
  if (paused_ || resting_ || !started_ || at_end_) return;
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(&pipe_),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        std::vector<char>& chunk = self(handle->data).chunk_;
        *buffer = uv_buf_init(chunk.data(), static_cast<unsigned>(chunk.size()));
      },
      [](uv_stream_t* stream, ssize_t count, const uv_buf_t*) { self(stream->data).on_read(count); });
}

void EnginePipe::on_read(ssize_t count) {
  if (count >= 0) {
    rest_if_hurried();
    return text_(std::string_view(chunk_.data(), static_cast<std::size_t>(count)));
  }
  uv_read_stop(reinterpret_cast<uv_stream_t*>(&pipe_));
  at_end_ = true;
  ended_();
}

void EnginePipe::rest_if_hurried() {
  const std::uint64_t now = uv_now(rest_.loop);
  reads_in_moment_ = now == moment_ ? reads_in_moment_ + 1 : 1;
  moment_ = now;
  if (reads_in_moment_ < kHurry || resting_) return;
  resting_ = true;
  uv_read_stop(reinterpret_cast<uv_stream_t*>(&pipe_));
  const auto callback = [](uv_timer_t* timer) {
    EnginePipe& pipe = self(timer->data);
    pipe.resting_ = false;
    pipe.read();
  };
  uv_timer_start(&rest_, callback, kRestMs, 0);
}

void EnginePipe::pause() {
  if (!paused_ && started_ && !at_end_) uv_read_stop(reinterpret_cast<uv_stream_t*>(&pipe_));
  paused_ = true;
}

void EnginePipe::resume() {
  if (!paused_) return;
  paused_ = false;
  read();
}

void EnginePipe::close() {
  uv_close(reinterpret_cast<uv_handle_t*>(&pipe_), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&rest_), nullptr);
}

}  // namespace ringrun
