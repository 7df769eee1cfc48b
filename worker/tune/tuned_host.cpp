#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "lib/host/fabric_facts.hpp"
#include "lib/net/nccl_interface.hpp"
#include "worker/tune/setting.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

constexpr std::string_view kPrefix = "NCCL_";

}  // namespace

std::string to_text(const TunedHost& host) {
  json cards = json::array();
  for (const TunedHost::Card& card : host.cards) cards.push_back({{"name", card.name}, {"network", card.network}});
  return json{{"name", host.name}, {"cards", cards}, {"hcas", host.hcas}, {"environment", host.environment}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
}

TunedHost tuned_host_from(const std::string& text) {
  const json from = json::parse(text);
  TunedHost host;
  from.at("name").get_to(host.name);
  from.at("hcas").get_to(host.hcas);
  from.at("environment").get_to(host.environment);
  for (const json& card : from.at("cards")) host.cards.push_back({card.at("name"), card.at("network")});
  return host;
}

TunedHost read_tuned_host(const std::string& name) {
  TunedHost host;
  host.name = name;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::size_t sign = variable.find('=');
    if (variable.substr(0, kPrefix.size()) != kPrefix || sign == std::string_view::npos) continue;
    host.environment.emplace(variable.substr(0, sign), variable.substr(sign + 1));
  }
  const auto value_of = [&](const char* variable) -> std::optional<std::string> {
    const auto set = host.environment.find(variable);
    return set == host.environment.end() ? std::nullopt : std::optional(set->second);
  };
  const std::vector<Interface> interfaces = read_interfaces();
  for (const Interface* card :
       nccl_interfaces(interfaces, value_of("NCCL_SOCKET_IFNAME"), value_of("NCCL_SOCKET_FAMILY").value_or(""))) {
    if (!card->ipv4.empty()) host.cards.push_back({card->name, network_of(card->ipv4.front())});
  }
  std::vector<std::string> active;
  for (const InfinibandDevice& device : read_fabric_facts().infiniband)
    if (device.active) active.push_back(device.name);
  host.hcas = chosen_hcas(active, value_of("NCCL_IB_HCA").value_or(""));
  return host;
}

}  // namespace ringrun::worker
