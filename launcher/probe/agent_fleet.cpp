#include "launcher/probe/agent_fleet.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <uv.h>

#include <algorithm>

#include "launcher/probe/agent_process.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// How long agents may take to end by themselves once their input has ended.
constexpr auto kFarewell = 300ms;
// How long a killed one is waited for, which the kernel may keep (a file server that is gone).
constexpr auto kDeath = 500ms;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Three pipes a host: a thousand hosts are more than the usual soft limit.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

class AgentFleet::Impl {
 public:
  Impl(std::vector<std::vector<std::string>> commands, int at_once)
      : commands_(std::move(commands)), agents_(commands_.size()), at_once_(static_cast<std::size_t>(at_once)) {
    // libuv leaves this to the program: writing to an agent that has ended must be an error, not the end.
    signal(SIGPIPE, SIG_IGN);
    if (commands_.size() > 256) raise_file_limit();
    if (const int status = uv_loop_init(&loop_); status != 0)
      throw SystemError("uv_loop_init", uv_strerror(status), status);
    uv_timer_init(&loop_, &tick_);
  }

  ~Impl() {
    for (const auto& agent : agents_) {
      if (agent) agent->end_input();
    }
    turn_until([](const AgentProcess& agent) { return agent.ended(); }, kFarewell);
    each([](AgentProcess& agent) { agent.kill(); });
    // Without its exit callback a process would stay a zombie for the whole job.
    turn_until([](const AgentProcess& agent) { return !agent.alive(); }, kDeath);
    each([](AgentProcess& agent) { agent.close(); });
    while (!all([](const AgentProcess& agent) { return agent.closed(); })) turn();
    uv_close(reinterpret_cast<uv_handle_t*>(&tick_), nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  void replace(std::size_t agent, std::vector<std::string> command) {
    commands_[agent] = std::move(command);
    if (!agents_[agent]) return;
    agents_[agent]->end_input();
    agents_[agent]->kill();
    replaced_.push_back(std::move(agents_[agent]));
  }

  std::vector<std::optional<AgentReply>> exchange(const std::vector<std::optional<std::string>>& lines,
                                                  const std::vector<Contents>& contents,
                                                  std::chrono::milliseconds deadline,
                                                  std::chrono::milliseconds long_silence, const SilenceReport& report) {
    std::vector<std::optional<AgentReply>> replies(agents_.size());
    std::vector<Clock::time_point> asked(agents_.size());
    std::vector<std::size_t> waiting;
    bool reported = !report;
    std::size_t next = 0;
    while (true) {
      while (next < lines.size() && waiting.size() < at_once_) {
        const std::size_t i = next++;
        if (!lines[i]) continue;
        asked[i] = Clock::now();
        if (!agents_[i]) agents_[i] = std::make_unique<AgentProcess>(loop_, commands_[i]);
        agents_[i]->send(*lines[i]);
        if (i < contents.size()) agents_[i]->send(contents[i]);
        waiting.push_back(i);
      }
      waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                                   [&](std::size_t i) { return settle(i, asked[i], deadline, replies[i]); }),
                    waiting.end());
      if (waiting.empty() && next == lines.size()) return replies;
      if (!reported && std::any_of(waiting.begin(), waiting.end(),
                                   [&](std::size_t i) { return Clock::now() - asked[i] > long_silence; })) {
        reported = true;
        report(waiting);
      }
      turn();
    }
  }

 private:
  /// True where the agent's reply is there.
  bool settle(std::size_t i, Clock::time_point asked, std::chrono::milliseconds deadline,
              std::optional<AgentReply>& reply) {
    AgentProcess& agent = *agents_[i];
    if (auto answer = agent.take_answer()) {
      reply = AgentReply{AgentReply::End::answered, 0, std::move(*answer), agent.words()};
    } else if (agent.ended()) {
      reply = agent.ending();
    } else if (Clock::now() - asked > deadline) {
      agent.kill();
      reply = AgentReply{AgentReply::End::silent, 0, "", agent.words()};
    } else {
      return false;
    }
    reply->seconds = seconds_since(asked);
    reply->started = agent.started();
    return true;
  }

  /// One turn of the loop, at most 20 ms long, so that deadlines are seen.
  void turn() {
    uv_timer_start(
        &tick_, [](uv_timer_t*) {}, 20, 0);
    uv_run(&loop_, UV_RUN_ONCE);
  }

  template <typename Condition>
  bool all(Condition condition) const {
    const auto holds = [&](const std::unique_ptr<AgentProcess>& agent) { return !agent || condition(*agent); };
    return std::all_of(agents_.begin(), agents_.end(), holds) && std::all_of(replaced_.begin(), replaced_.end(), holds);
  }

  template <typename Condition>
  void turn_until(Condition condition, std::chrono::milliseconds patience) {
    for (const auto start = Clock::now(); Clock::now() - start < patience && !all(condition);) turn();
  }

  template <typename Action>
  void each(Action action) {
    for (const auto* list : {&agents_, &replaced_}) {
      for (const auto& agent : *list) {
        if (agent) action(*agent);
      }
    }
  }

  std::vector<std::vector<std::string>> commands_;
  std::vector<std::unique_ptr<AgentProcess>> agents_;
  std::vector<std::unique_ptr<AgentProcess>> replaced_;
  std::size_t at_once_;
  uv_loop_t loop_{};
  uv_timer_t tick_{};
};

AgentFleet::AgentFleet(std::vector<std::vector<std::string>> commands, int at_once)
    : impl_(std::make_unique<Impl>(std::move(commands), at_once)) {}
AgentFleet::~AgentFleet() = default;

void AgentFleet::replace(std::size_t agent, std::vector<std::string> command) {
  impl_->replace(agent, std::move(command));
}

std::vector<std::optional<AgentReply>> AgentFleet::exchange(const std::vector<std::optional<std::string>>& lines,
                                                            std::chrono::milliseconds deadline,
                                                            std::chrono::milliseconds long_silence,
                                                            const SilenceReport& report) {
  return impl_->exchange(lines, {}, deadline, long_silence, report);
}

std::vector<std::optional<AgentReply>> AgentFleet::exchange(const std::vector<std::optional<std::string>>& lines,
                                                            const std::vector<Contents>& contents,
                                                            std::chrono::milliseconds deadline) {
  return impl_->exchange(lines, contents, deadline, std::chrono::hours(1), {});
}

}  // namespace ringrun
