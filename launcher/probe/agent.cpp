#include "launcher/probe/agent.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "launcher/environment.hpp"
#include "launcher/probe/agent_protocol.hpp"
#include "launcher/staging/copy_intake.hpp"
#include "lib/error.hpp"
#include "lib/net/probe_json.hpp"

namespace ringrun {
namespace {

using namespace std::chrono_literals;

// A launcher that says nothing for so long is gone, whatever keeps its end of the shell open.
constexpr auto kPatience = 10min;

class Agent {
 public:
  int run() {
    print(kHelloMark);
    auto last_word = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - last_word < kPatience) {
      if (endpoint_) {
        endpoint_->step(wait(), STDIN_FILENO);
        answer_links();
        if (!readable()) continue;
      }
      if (!read_some()) return 0;
      last_word = std::chrono::steady_clock::now();
      for (std::size_t end; (end = input_.find('\n')) != std::string::npos;) {
        const std::string line = input_.substr(0, end);
        input_.erase(0, end + 1);
        obey(agent_request_from_json(line));
      }
    }
    return 1;
  }

 private:
  static bool readable() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    return poll(&input, 1, 0) > 0;
  }

  bool read_some() {
    char chunk[4096];
    const ssize_t count = read(STDIN_FILENO, chunk, sizeof chunk);
    if (count > 0) input_.append(chunk, static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

  /// What follows a request's line.
  std::size_t read_bytes(char* to, std::size_t size) {
    const std::size_t known = std::min(size, input_.size());
    input_.copy(to, known);
    input_.erase(0, known);
    std::size_t done = known;
    while (done < size) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (poll(&input, 1, std::chrono::milliseconds(kPatience).count()) == 0) break;
      const ssize_t count = read(STDIN_FILENO, to + done, size - done);
      if (count == 0 || (count < 0 && errno != EINTR)) break;
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    return done;
  }

  static void say(const std::string& json) { print(kAnswerMark + json); }

  /// A line of its own, whatever a login wrote before.
  static void print(const std::string& text) {
    const std::string line = "\n" + text + "\n";
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t count = write(STDOUT_FILENO, line.data() + done, line.size() - done);
      if (count < 0 && errno != EINTR) throw SystemError("write to the launcher", "it is gone", errno);
      if (count > 0) done += static_cast<std::size_t>(count);
    }
  }

  void obey(const AgentRequest& request) {
    if (const auto* question = std::get_if<HostQuestion>(&request)) return say(to_json(read_host_facts(*question)));
    if (const auto* copy = std::get_if<CopyRequest>(&request)) {
      return say(to_json(obey_copy_request(*copy, read_environment(),
                                           [this](char* to, std::size_t size) { return read_bytes(to, size); })));
    }
    if (const auto* listen = std::get_if<ListenRequest>(&request)) {
      endpoint_ = std::make_unique<ProbeEndpoint>(listen->nonce, listen->host);
      return say(to_json(endpoint_->listen(listen->addresses, listen->ports_each, listen->range)));
    }
    const auto& connect = std::get<ConnectRequest>(request);
    if (!endpoint_) throw UserError("the agent is asked to connect before it listens");
    endpoint_->connect(connect.targets, std::chrono::milliseconds(connect.deadline_ms));
    connecting_until_ = std::chrono::steady_clock::now() + connect_patience(connect);
  }

  std::chrono::milliseconds wait() const {
    if (!connecting_until_) return 1s;
    const auto left = *connecting_until_ - std::chrono::steady_clock::now();
    return std::clamp<std::chrono::milliseconds>(std::chrono::ceil<std::chrono::milliseconds>(left), 0ms, 1s);
  }

  void answer_links() {
    if (!connecting_until_) return;
    if (!endpoint_->finished() && std::chrono::steady_clock::now() < *connecting_until_) return;
    connecting_until_.reset();
    say(to_json(endpoint_->links()));
  }

  std::string input_;
  std::unique_ptr<ProbeEndpoint> endpoint_;
  /// Where it was asked to connect: when it answers at the latest.
  std::optional<std::chrono::steady_clock::time_point> connecting_until_;
};

}  // namespace

int run_agent() { return Agent().run(); }

}  // namespace ringrun
