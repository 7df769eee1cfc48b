#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "launcher/staging/copy_request.hpp"
#include "lib/host/host_facts.hpp"
#include "lib/net/probe_endpoint.hpp"

namespace ringrun {

/// What begins every line that the agent answers; a login's own chatter may stand in lines before it.
inline constexpr const char* kAnswerMark = "RINGRUN-AGENT ";

/// The agent's first line: a silent host that said it has come through its remote shell and runs ringrun.
inline constexpr const char* kHelloMark = "RINGRUN-HELLO";

/// Listen for the probes of the other hosts.
struct ListenRequest {
  std::string nonce;
  /// This host's place among the probed hosts.
  int host = 0;
  std::vector<std::string> addresses;
  int ports_each = 3;
  std::optional<PortRange> range;
};

/// Try the other hosts.
struct ConnectRequest {
  std::vector<ProbeTarget> targets;
  /// Of each attempt.
  int deadline_ms = 2500;
};

/// What an agent allows itself for a ConnectRequest: it answers with what it has by then.
std::chrono::milliseconds connect_patience(const ConnectRequest& request);

/// When its answer is to be there at the latest, counted from the request.
std::chrono::milliseconds connect_deadline(const ConnectRequest& request);

/// One line on the agent's standard input; behind a CopyRequest's stand the bytes that it announces.
using AgentRequest = std::variant<HostQuestion, ListenRequest, ConnectRequest, CopyRequest>;

/// One line of JSON without its end.
std::string to_json(const AgentRequest& request);

/// Throws UserError where the line is no request, or one of another version of ringrun.
AgentRequest agent_request_from_json(std::string_view line);

}  // namespace ringrun
