#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ringrun {

/// An agent's answer to one request, or why there is none.
struct AgentReply {
  enum class End { answered, exited, signalled, silent, not_started };
  End end = End::not_started;
  /// Exit code, signal, or errno of a command that did not start.
  int code = 0;
  /// The answer's JSON.
  std::string answer;
  /// What it printed besides: a login's chatter and standard error, the last lines.
  std::string words;
  double seconds = 0;
  /// The agent itself was there: what is slow or wrong is behind the remote shell.
  bool started = false;
};

/// Called once, with the places of the agents that have been silent for long.
using SilenceReport = std::function<void(const std::vector<std::size_t>&)>;

/// What follows a line, of files that go to many hosts: all of them share it.
using Contents = std::vector<std::shared_ptr<const std::string>>;

/// One agent process (a remote shell, or this host's own) per host, each the leader of a process group, all spoken to
/// side by side. Destruction closes their inputs, which ends them, kills what is left after a moment, and leaves no
/// zombie.
class AgentFleet {
 public:
  /// `at_once` bounds how many are started that have not answered yet.
  explicit AgentFleet(std::vector<std::vector<std::string>> commands, int at_once = 128);
  ~AgentFleet();
  AgentFleet(const AgentFleet&) = delete;
  AgentFleet& operator=(const AgentFleet&) = delete;

  /// Another command in place of an agent that has ended.
  void replace(std::size_t agent, std::vector<std::string> command);

  /// Sends each agent its line (no line: it is left alone, and has no reply) and waits for every answer. An agent that
  /// is silent past the deadline, counted from its own line, is killed. `report` is called when the first have been
  /// silent for `long_silence`.
  std::vector<std::optional<AgentReply>> exchange(const std::vector<std::optional<std::string>>& lines,
                                                  std::chrono::milliseconds deadline,
                                                  std::chrono::milliseconds long_silence = std::chrono::hours(1),
                                                  const SilenceReport& report = {});

  /// The same with contents behind the lines; `contents` has an entry for each agent.
  std::vector<std::optional<AgentReply>> exchange(const std::vector<std::optional<std::string>>& lines,
                                                  const std::vector<Contents>& contents,
                                                  std::chrono::milliseconds deadline);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ringrun
