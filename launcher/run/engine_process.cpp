#include "launcher/run/engine_process.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "lib/error.hpp"

namespace ringrun {
namespace {

EngineProcess& self(void* data) { return *static_cast<EngineProcess*>(data); }

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

uv_stdio_container_t inherited(int fd) {
  uv_stdio_container_t stream{};
  stream.flags = UV_INHERIT_FD;
  stream.data.fd = fd;
  return stream;
}

}  // namespace

EngineProcess::EngineProcess(uv_loop_t& loop, std::function<void(EngineEnd)> ended, std::function<void()> impatient)
    : ended_(std::move(ended)), impatient_(std::move(impatient)) {
  if (const int status = uv_timer_init(&loop, &patience_); status != 0) {
    throw SystemError("uv_timer_init", uv_strerror(status), status);
  }
  process_.data = patience_.data = this;
}

int EngineProcess::start(std::vector<std::string> words, std::vector<std::string> variables, int out, int err) {
  std::vector<char*> argv = pointers(words);
  std::vector<char*> environment = pointers(variables);
  uv_stdio_container_t stdio[3] = {inherited(STDIN_FILENO), inherited(out), inherited(err)};
  uv_process_options_t options{};
  options.file = argv[0];
  options.args = argv.data();
  options.env = environment.data();
  options.stdio = stdio;
  options.stdio_count = 3;
  options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) {
    EngineProcess& engine = self(process->data);
    engine.running_ = false;
    uv_timer_stop(&engine.patience_);
    engine.ended_({static_cast<int>(code), signal});
  };
  const int status = uv_spawn(patience_.loop, &process_, &options);
  started_ = true;
  running_ = status == 0;
  return status;
}

void EngineProcess::forward(int signal) {
  if (running_) uv_process_kill(&process_, signal);
}

void EngineProcess::expect_end() {
  if (!running_ || std::exchange(told_to_end_, true)) return;
  const auto callback = [](uv_timer_t* timer) {
    self(timer->data).impatient_();
    self(timer->data).forward(SIGKILL);
  };
  uv_timer_start(&patience_, callback, static_cast<std::uint64_t>(std::chrono::milliseconds(kPatience).count()), 0);
}

void EngineProcess::close() {
  if (started_) uv_close(reinterpret_cast<uv_handle_t*>(&process_), nullptr);
  uv_close(reinterpret_cast<uv_handle_t*>(&patience_), nullptr);
}

}  // namespace ringrun
