#include "launcher/run/engine_process.hpp"

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "launcher/run/descendants.hpp"
#include "launcher/run/engine_connections.hpp"

namespace ringrun {
namespace {

EngineProcess& self(void* data) { return *static_cast<EngineProcess*>(data); }

constexpr std::uint64_t kIdleMs = 500;
constexpr int kMostIdle = 4;

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
  uv_timer_init(&loop, &patience_);
  uv_timer_init(&loop, &idle_);
  process_.data = patience_.data = idle_.data = this;
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
    uv_timer_stop(&engine.idle_);
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

void EngineProcess::expect_end(std::chrono::seconds patience) {
  if (!running_ || std::exchange(told_to_end_, true)) return;
  const auto callback = [](uv_timer_t* timer) {
    self(timer->data).impatient_();
    self(timer->data).forward(SIGKILL);
  };
  uv_timer_start(&patience_, callback, static_cast<std::uint64_t>(std::chrono::milliseconds(patience).count()), 0);
  const auto idle = [](uv_timer_t* timer) { self(timer->data).on_idle_tick(); };
  uv_timer_start(&idle_, idle, kIdleMs, kIdleMs);
}

void EngineProcess::on_idle_tick() {
  const bool idle = descendants_of(process_.pid, read_processes()).empty() && connected_addresses(process_.pid).empty();
  idle_ticks_ = idle ? idle_ticks_ + 1 : 0;
  if (idle_ticks_ < kMostIdle) return;
  uv_timer_stop(&patience_);
  forward(SIGKILL);
}

void EngineProcess::close() {
  if (started_) uv_close(reinterpret_cast<uv_handle_t*>(&process_), nullptr);
  for (uv_timer_t* timer : {&patience_, &idle_}) uv_close(reinterpret_cast<uv_handle_t*>(timer), nullptr);
}

}  // namespace ringrun
