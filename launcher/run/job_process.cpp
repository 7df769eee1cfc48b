#include "launcher/run/job_process.hpp"

#include <signal.h>
#include <unistd.h>
#include <uv.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <utility>

#include "launcher/run/banner_filter.hpp"
#include "launcher/run/signal_feed.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

// A block that does not end within this time is no banner.
constexpr std::uint64_t kMostHeldMs = 300;
// A process that outlives the engine may keep the pipe open; what the engine said is there by then.
constexpr std::uint64_t kGraceAfterExitMs = 300;
// How Open MPI 4.1 ends when the connection to a daemon breaks (measured).
constexpr int kLostDaemon = 205;
constexpr int kHostOrNetwork = 3;
// mpirun 4.1 takes two seconds from TERM to KILL of its ranks.
constexpr std::uint64_t kPatienceMs = 10000;

bool ends_a_job(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT; }

void show(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR && errno != EAGAIN) return;
    if (written > 0) done += static_cast<std::size_t>(written);
  }
}

void check(int status, const char* call) {
  if (status != 0) throw SystemError(call, uv_strerror(status), status);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// The engine from its start to its last word.
class EngineProcess {
 public:
  EngineProcess(uv_loop_t& loop, bool keep_banners, bool ends_at_failure)
      : loop_(loop), keep_banners_(keep_banners), ends_at_failure_(ends_at_failure) {
    process_.data = pipe_.data = timer_.data = patience_.data = this;
    check(uv_pipe_init(&loop, &pipe_, 0), "uv_pipe_init");
    check(uv_timer_init(&loop, &timer_), "uv_timer_init");
    check(uv_timer_init(&loop, &patience_), "uv_timer_init");
  }
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;

  /// libuv's code.
  int start(std::vector<std::string> words, std::vector<std::string> variables, std::function<void()> ended) {
    ended_ = std::move(ended);
    std::vector<char*> argv = pointers(words);
    std::vector<char*> environment = pointers(variables);
    uv_stdio_container_t stdio[3] = {};
    stdio[0].flags = stdio[1].flags = UV_INHERIT_FD;
    stdio[0].data.fd = STDIN_FILENO;
    stdio[1].data.fd = STDOUT_FILENO;
    stdio[2].flags = static_cast<uv_stdio_flags>(UV_CREATE_PIPE | UV_WRITABLE_PIPE);
    stdio[2].data.stream = reinterpret_cast<uv_stream_t*>(&pipe_);
    uv_process_options_t options{};
    options.file = argv[0];
    options.args = argv.data();
    options.env = environment.data();
    options.stdio = stdio;
    options.stdio_count = 3;
    options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) {
      self(process).on_exit(static_cast<int>(code), signal);
    };
    const int status = uv_spawn(&loop_, &process_, &options);
    if (status != 0) {
      close();
      return status;
    }
    running_ = true;
    uv_read_start(
        reinterpret_cast<uv_stream_t*>(&pipe_),
        [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
          *buffer = uv_buf_init(self(handle).chunk_.data(), static_cast<unsigned>(self(handle).chunk_.size()));
        },
        [](uv_stream_t* stream, ssize_t count, const uv_buf_t*) { self(stream).on_read(count); });
    return 0;
  }

  void forward(int signal) {
    if (running_) uv_process_kill(&process_, signal);
  }

  /// It was told to end, and is killed where it does not, as where a daemon no longer answers it.
  void expect_end() {
    if (!running_ || std::exchange(told_to_end_, true)) return;
    uv_timer_start(
        &patience_,
        [](uv_timer_t* timer) {
          show("ringrun: mpirun did not end within " + std::to_string(kPatienceMs / 1000) +
               " s and is killed; on a host that cannot be reached processes may be left\n");
          self(timer).forward(SIGKILL);
        },
        kPatienceMs, 0);
  }

  int exit_code() const { return exit_code_; }

 private:
  template <typename Handle>
  static EngineProcess& self(Handle* handle) {
    return *static_cast<EngineProcess*>(handle->data);
  }

  void on_read(ssize_t count) {
    if (count < 0) {
      uv_read_stop(reinterpret_cast<uv_stream_t*>(&pipe_));
      at_end_ = true;
      if (!running_) close();
      return;
    }
    const std::string_view text(chunk_.data(), static_cast<std::size_t>(count));
    show(keep_banners_ ? filter_.without_marks(text) : filter_.feed(text));
    if (ends_at_failure_ && filter_.first_failure()) expect_end();
    if (running_ && filter_.holds()) {
      uv_timer_start(
          &timer_, [](uv_timer_t* timer) { show(self(timer).filter_.flush()); }, kMostHeldMs, 0);
    }
  }

  void on_exit(int code, int signal) {
    running_ = false;
    exit_code_ = signal != 0 ? 128 + signal : code;
    // mpirun's own code says nothing where it was killed, or lost a daemon: there the first rank's does.
    if ((signal != 0 || code == kLostDaemon) && filter_.first_failure()) exit_code_ = *filter_.first_failure();
    if (code == kLostDaemon && !filter_.first_failure()) {
      show("ringrun: a host was lost: mpirun's daemon there ended, or the network to it\n");
      exit_code_ = kHostOrNetwork;
    }
    if (signal != 0 && !told_to_end_) {
      show("ringrun: mpirun was killed by signal " + std::to_string(signal) + ", and the job with it\n");
    }
    if (at_end_) return close();
    uv_timer_start(
        &timer_, [](uv_timer_t* timer) { self(timer).close(); }, kGraceAfterExitMs, 0);
  }

  void close() {
    if (closed_) return;
    closed_ = true;
    show(filter_.finish());
    uv_close(reinterpret_cast<uv_handle_t*>(&process_), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&pipe_), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&timer_), nullptr);
    uv_close(reinterpret_cast<uv_handle_t*>(&patience_), nullptr);
    ended_();
  }

  uv_loop_t& loop_;
  bool keep_banners_;
  bool ends_at_failure_;
  std::function<void()> ended_;
  uv_process_t process_{};
  uv_pipe_t pipe_{};
  uv_timer_t timer_{};
  uv_timer_t patience_{};
  std::array<char, 16384> chunk_{};
  BannerFilter filter_;
  int exit_code_ = 0;
  bool running_ = false;
  bool told_to_end_ = false;
  bool at_end_ = false;
  bool closed_ = false;
};

}  // namespace

int run_job(const JobCommand& command) {
  // In a terminal the engine stays in the foreground group, to read it; Ctrl-C reaches it there without our help.
  const bool in_terminal = isatty(STDIN_FILENO) != 0;
  std::vector<std::string> words = {command.ringrun, "__exec", std::to_string(getpid()), in_terminal ? "0" : "1"};
  words.insert(words.end(), command.argv.begin(), command.argv.end());
  std::vector<std::string> variables;
  for (const auto& [name, value] : command.environment) variables.push_back(name + "=" + value);

  uv_loop_t loop;
  check(uv_loop_init(&loop), "uv_loop_init");
  EngineProcess engine(loop, command.keep_banners, command.ends_at_failure);
  int stopped_by = 0;
  SignalFeed feed(loop, {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}, [&](int signal, bool from_terminal) {
    if (ends_a_job(signal) && stopped_by == 0) stopped_by = signal;
    if (!(from_terminal && in_terminal)) engine.forward(signal);
    if (ends_a_job(signal)) engine.expect_end();
  });
  const int status = engine.start(std::move(words), std::move(variables), [&] { feed.close(); });
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  check(status, "uv_spawn");
  return stopped_by != 0 ? 128 + stopped_by : engine.exit_code();
}

}  // namespace ringrun
