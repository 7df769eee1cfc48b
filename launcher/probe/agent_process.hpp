#pragma once

#include <uv.h>

#include <chrono>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "launcher/probe/agent_fleet.hpp"

namespace ringrun {

/// One agent on a libuv loop, from its start until every handle of it is closed.
class AgentProcess {
 public:
  AgentProcess(uv_loop_t& loop, std::vector<std::string> command);
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  void send(const std::string& line);
  void send(const Contents& contents);

  /// The oldest answer that was not taken yet.
  std::optional<std::string> take_answer();

  /// The agent has said its first line.
  bool started() const { return started_; }
  /// Its process is there, and not waited for yet.
  bool alive() const { return alive_; }
  /// It has ended and everything that it said is read.
  bool ended() const { return state_ >= State::ended; }
  /// How, for a reply; only where it has ended.
  AgentReply ending() const;
  /// The last lines of what it printed besides its answers.
  std::string words() const;

  void end_input();
  void kill();
  /// Gives up what is still open; `closed` is true some turns of the loop later.
  void close();
  bool closed() const { return state_ == State::closed; }

 private:
  enum class State { running, ended, closing, closed };

  void start(uv_loop_t& loop);
  void write(std::shared_ptr<const std::string> text);
  void read(uv_pipe_t& pipe);
  void on_read(uv_stream_t* stream, ssize_t count, const char* data);
  void take_lines(std::string& text, bool answers);
  void one_ended();
  void on_closed();

  std::vector<std::string> command_;
  uv_process_t process_{};
  uv_pipe_t in_{}, out_{}, err_{};
  uv_timer_t grace_{};
  std::string out_text_, err_text_;
  std::deque<std::string> answers_;
  std::deque<std::string> words_;
  char chunk_[16384];
  int running_parts_ = 0;
  int open_handles_ = 0;
  bool spawned_ = false;
  bool alive_ = false;
  bool started_ = false;
  AgentReply ending_;
  State state_ = State::running;
};

}  // namespace ringrun
