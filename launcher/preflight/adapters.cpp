#include "launcher/preflight/adapters.hpp"

#include <algorithm>
#include <set>

#include "lib/explain/host_queries.hpp"

namespace ringrun {
namespace {

bool contains_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The interface below a VLAN, by the name that every tool gives it: eth2.100.
std::string below(const Interface& interface) {
  return interface.kind == InterfaceKind::vlan ? interface.name.substr(0, interface.name.rfind('.')) : "";
}

/// The cards of the named interfaces: their own, those of a bond's or bridge's ports, and of what a VLAN is on.
std::set<std::string> cards_of(const std::vector<Interface>& interfaces, std::vector<std::string> names) {
  std::set<std::string> cards;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i];
    for (const Interface& interface : interfaces) {
      if (interface.name == name) {
        if (!interface.pci_bus_id.empty()) cards.insert(interface.pci_bus_id);
        const std::string lower = below(interface);
        if (!lower.empty() && !contains_name(names, lower)) names.push_back(lower);
      } else if (interface.master == name && !contains_name(names, interface.name)) {
        names.push_back(interface.name);
      }
    }
  }
  return cards;
}

}  // namespace

bool has_active_adapter(const HostView& host) {
  const auto& devices = host.facts.fabric.infiniband;
  return std::any_of(devices.begin(), devices.end(), [](const InfinibandDevice& device) { return device.active; });
}

std::vector<InfinibandDevice> adapters_that_reach(const HostView& host, const HostNetwork& network) {
  const std::set<std::string> cards = cards_of(host.facts.interfaces, network.interfaces);
  int fastest = 0;
  for (const InfinibandDevice& device : host.facts.fabric.infiniband) {
    if (device.active) fastest = std::max(fastest, device.rate);
  }
  std::vector<InfinibandDevice> reaching;
  bool has_fastest = false;
  for (const InfinibandDevice& device : host.facts.fabric.infiniband) {
    const bool reaches = !device.ethernet || (cards.count(device.pci_bus_id) != 0 && device.rate == fastest);
    if (!device.active || !reaches) continue;
    has_fastest = has_fastest || device.rate == fastest;
    reaching.push_back(device);
  }
  return has_fastest ? reaching : std::vector<InfinibandDevice>();
}

bool takes_adapter(const std::string& ib_hca, const std::vector<InfinibandDevice>& cards) {
  std::string list = ib_hca;
  const bool excludes = !list.empty() && list.front() == '^';
  if (excludes) list.erase(0, 1);
  const bool exact = !list.empty() && list.front() == '=';
  if (exact) list.erase(0, 1);
  const std::vector<std::string> entries = split(list);
  return std::any_of(cards.begin(), cards.end(), [&](const InfinibandDevice& card) {
    const auto fits = [&](const std::string& entry) {
      const std::size_t colon = entry.find(':');
      const std::string name = entry.substr(0, colon);
      const bool port = colon == std::string::npos || entry.substr(colon + 1) == std::to_string(card.port);
      return port && (exact ? card.name == name : card.name.rfind(name, 0) == 0);
    };
    return (entries.empty() || std::any_of(entries.begin(), entries.end(), fits)) != excludes;
  });
}

}  // namespace ringrun
