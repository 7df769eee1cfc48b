#include "launcher/probe/agent_process.hpp"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "launcher/probe/agent_protocol.hpp"

namespace ringrun {
namespace {

// A shell that leaves a child behind keeps the pipes open; what it had to say is there by then.
constexpr std::uint64_t kGraceAfterExitMs = 200;
constexpr std::size_t kMostWords = 10;
constexpr std::size_t kLongestLine = std::size_t{16} << 20;

template <typename Handle>
uv_handle_t* as_handle(Handle& handle) {
  return reinterpret_cast<uv_handle_t*>(&handle);
}

template <typename Handle>
AgentProcess& self(Handle* handle) {
  return *static_cast<AgentProcess*>(handle->data);
}

}  // namespace

AgentProcess::AgentProcess(uv_loop_t& loop, std::vector<std::string> command) : command_(std::move(command)) {
  for (uv_pipe_t* pipe : {&in_, &out_, &err_}) uv_pipe_init(&loop, pipe, 0);
  uv_timer_init(&loop, &grace_);
  for (uv_handle_t* handle : {as_handle(in_), as_handle(out_), as_handle(err_), as_handle(grace_)}) handle->data = this;
  process_.data = this;
  start(loop);
}

void AgentProcess::start(uv_loop_t& loop) {
  std::vector<char*> argv;
  for (const std::string& word : command_) argv.push_back(const_cast<char*>(word.c_str()));
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
  options.exit_cb = [](uv_process_t* process, std::int64_t code, int signal) {
    AgentProcess& agent = self(process);
    agent.alive_ = false;
    agent.ending_.end = signal != 0 ? AgentReply::End::signalled : AgentReply::End::exited;
    agent.ending_.code = signal != 0 ? signal : static_cast<int>(code);
    uv_timer_start(
        &agent.grace_,
        [](uv_timer_t* timer) {
          if (self(timer).state_ == State::running) self(timer).state_ = State::ended;
        },
        kGraceAfterExitMs, 0);
    agent.one_ended();
  };
  const int status = uv_spawn(&loop, &process_, &options);
  // The handle is the loop's also where the process did not start.
  spawned_ = true;
  if (status != 0) {
    ending_.code = -status;
    state_ = State::ended;
    return;
  }
  alive_ = true;
  running_parts_ = 3;
  read(out_);
  read(err_);
}

void AgentProcess::read(uv_pipe_t& pipe) {
  uv_read_start(
      reinterpret_cast<uv_stream_t*>(&pipe),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* buffer) {
        *buffer = uv_buf_init(self(handle).chunk_, sizeof self(handle).chunk_);
      },
      [](uv_stream_t* stream, ssize_t count, const uv_buf_t* buffer) {
        self(stream).on_read(stream, count, buffer->base);
      });
}

void AgentProcess::on_read(uv_stream_t* stream, ssize_t count, const char* data) {
  const bool is_out = stream == reinterpret_cast<uv_stream_t*>(&out_);
  std::string& text = is_out ? out_text_ : err_text_;
  if (count > 0) text.append(data, static_cast<std::size_t>(count));
  if (count < 0) {
    uv_read_stop(stream);
    if (!text.empty()) text += '\n';
  }
  take_lines(text, is_out);
  if (count < 0) one_ended();
}

void AgentProcess::take_lines(std::string& text, bool answers) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    std::string line = text.substr(begin, end - begin);
    while (!line.empty() && line.back() == '\r') line.pop_back();
    if (answers && line.rfind(kAnswerMark, 0) == 0) {
      answers_.push_back(line.substr(std::strlen(kAnswerMark)));
    } else if (answers && line == kHelloMark) {
      started_ = true;
    } else if (!line.empty()) {
      words_.push_back(line.substr(0, 500));
      if (words_.size() > kMostWords) words_.pop_front();
    }
  }
  text.erase(0, begin);
  if (text.size() > kLongestLine) text.clear();
}

void AgentProcess::one_ended() {
  if (--running_parts_ == 0 && state_ == State::running) state_ = State::ended;
}

void AgentProcess::send(const std::string& line) { write(std::make_shared<const std::string>(line + "\n")); }

void AgentProcess::send(const Contents& contents) {
  for (const auto& content : contents) write(content);
}

void AgentProcess::write(std::shared_ptr<const std::string> text) {
  if (state_ != State::running) return;
  // libuv counts the bytes of one buffer in 32 bits.
  constexpr std::size_t kMost = std::size_t{1} << 30;
  struct Write {
    uv_write_t request{};
    std::shared_ptr<const std::string> text;
  };
  for (std::size_t begin = 0; begin < text->size(); begin += kMost) {
    auto write = std::make_unique<Write>();
    write->text = text;
    write->request.data = write.get();
    const auto size = static_cast<unsigned>(std::min(kMost, text->size() - begin));
    uv_buf_t buffer = uv_buf_init(const_cast<char*>(text->data()) + begin, size);
    // An agent that does not read its input says so by its end.
    const int status = uv_write(&write->request, reinterpret_cast<uv_stream_t*>(&in_), &buffer, 1,
                                [](uv_write_t* request, int) { delete static_cast<Write*>(request->data); });
    if (status == 0) static_cast<void>(write.release());
  }
}

std::optional<std::string> AgentProcess::take_answer() {
  if (answers_.empty()) return std::nullopt;
  std::string answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

std::string AgentProcess::words() const {
  std::string text;
  for (const std::string& line : words_) text += (text.empty() ? "" : "\n") + line;
  return text;
}

AgentReply AgentProcess::ending() const {
  AgentReply reply = ending_;
  reply.words = words();
  return reply;
}

void AgentProcess::end_input() {
  if (uv_is_closing(as_handle(in_)) == 0) {
    ++open_handles_;
    uv_close(as_handle(in_), [](uv_handle_t* handle) { self(handle).on_closed(); });
  }
}

void AgentProcess::kill() {
  if (alive_) ::kill(-process_.pid, SIGKILL);
}

void AgentProcess::on_closed() {
  if (--open_handles_ == 0 && state_ == State::closing) state_ = State::closed;
}

void AgentProcess::close() {
  if (state_ >= State::closing) return;
  state_ = State::closing;
  std::vector<uv_handle_t*> handles = {as_handle(in_), as_handle(out_), as_handle(err_), as_handle(grace_)};
  if (spawned_) handles.push_back(as_handle(process_));
  for (uv_handle_t* handle : handles) {
    if (uv_is_closing(handle) != 0) continue;
    ++open_handles_;
    uv_close(handle, [](uv_handle_t* closed) { self(closed).on_closed(); });
  }
}

}  // namespace ringrun
