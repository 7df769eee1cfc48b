#include "launcher/probe/agent_protocol.hpp"

#include <nlohmann/json.hpp>

#include "lib/error.hpp"

namespace ringrun {

// nlohmann finds these by the namespace of their types.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PortRange, first, last)

namespace {

using Json = nlohmann::json;

constexpr int kSchema = 1;

// As many sockets as ProbeEndpoint::connect has open at once.
constexpr std::size_t kAtOnce = 512;
// What is tried of an address that was reached takes 1.2 s for its MTU, and what this machine's load adds.
constexpr std::chrono::milliseconds kPathTime(2500);
// An agent beside hundreds of others on one machine is served late, and so is its remote shell.
constexpr std::chrono::milliseconds kDelay(3000);

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json targets_json(const std::vector<ProbeTarget>& targets) {
  Json items = Json::array();
  for (const ProbeTarget& target : targets) items.push_back({target.host, target.at.address, target.at.ports});
  return items;
}

std::vector<ProbeTarget> targets_from(const Json& items) {
  std::vector<ProbeTarget> targets;
  for (const Json& item : items) {
    targets.push_back({item.at(0).get<int>(), {item.at(1).get<std::string>(), item.at(2).get<std::vector<int>>()}});
  }
  return targets;
}

int rounds(std::size_t sockets) { return static_cast<int>((sockets + kAtOnce - 1) / kAtOnce); }

}  // namespace

std::chrono::milliseconds connect_patience(const ConnectRequest& request) {
  std::size_t attempts = 0;
  for (const ProbeTarget& target : request.targets) attempts += target.at.ports.size();
  const std::size_t paths = request.targets.size();
  // Both kinds of sockets share the room.
  return rounds(attempts + paths) * std::chrono::milliseconds(request.deadline_ms) + rounds(paths) * kPathTime;
}

std::chrono::milliseconds connect_deadline(const ConnectRequest& request) { return connect_patience(request) + kDelay; }

std::string to_json(const AgentRequest& request) {
  if (const auto* question = std::get_if<HostQuestion>(&request)) {
    return line_of({{"schema", kSchema}, {"ask", "facts"}, {"question", Json::parse(to_json(*question))}});
  }
  if (const auto* connect = std::get_if<ConnectRequest>(&request)) {
    return line_of({{"schema", kSchema},
                    {"ask", "connect"},
                    {"targets", targets_json(connect->targets)},
                    {"deadline_ms", connect->deadline_ms}});
  }
  if (const auto* copy = std::get_if<CopyRequest>(&request)) {
    return line_of({{"schema", kSchema}, {"ask", "copy"}, {"copy", Json::parse(to_json(*copy))}});
  }
  const auto& listen = std::get<ListenRequest>(request);
  Json json = {{"schema", kSchema},
               {"ask", "listen"},
               {"nonce", listen.nonce},
               {"host", listen.host},
               {"addresses", listen.addresses},
               {"ports_each", listen.ports_each}};
  if (listen.range) json["range"] = *listen.range;
  return line_of(json);
}

AgentRequest agent_request_from_json(std::string_view line) try {
  const Json json = Json::parse(line);
  if (json.value("schema", 0) != kSchema) {
    throw UserError("the launcher's request is of another version of ringrun",
                    "put the same version of ringrun on every host");
  }
  const auto ask = json.at("ask").get<std::string>();
  if (ask == "facts") return host_question_from_json(line_of(json.at("question")));
  if (ask == "connect") return ConnectRequest{targets_from(json.at("targets")), json.at("deadline_ms").get<int>()};
  if (ask == "copy") return copy_request_from_json(line_of(json.at("copy")));
  if (ask != "listen") throw UserError("the launcher asks for '" + ask + "', which this ringrun does not know");
  ListenRequest listen{json.at("nonce").get<std::string>(), json.at("host").get<int>(),
                       json.at("addresses").get<std::vector<std::string>>(), json.at("ports_each").get<int>(),
                       std::nullopt};
  if (json.contains("range")) listen.range = json.at("range").get<PortRange>();
  return listen;
} catch (const Json::exception& error) {
  throw UserError(std::string("the launcher's request cannot be read: ") + error.what(),
                  "put the same version of ringrun on every host");
}

}  // namespace ringrun
