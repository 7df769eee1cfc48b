#include "launcher/preflight/network_settings.hpp"

#include <algorithm>
#include <array>

#include "launcher/preflight/port_shares.hpp"

namespace ringrun {
namespace {

std::string joined(const std::vector<std::string>& words, const char* separator = ",") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

/// The cards that lead where the chosen interfaces lead: every active InfiniBand one, and RoCE ones of a chosen
/// interface.
std::vector<std::string> adapters_that_reach(const HostView& host, const HostNetwork& network) {
  std::vector<std::string> names;
  for (const InfinibandDevice& device : host.facts.fabric.infiniband) {
    if (!device.active) continue;
    const bool reaches =
        std::any_of(host.facts.interfaces.begin(), host.facts.interfaces.end(), [&](const Interface& interface) {
          return !interface.pci_bus_id.empty() && interface.pci_bus_id == device.pci_bus_id &&
                 std::find(network.interfaces.begin(), network.interfaces.end(), interface.name) !=
                     network.interfaces.end();
        });
    if (!device.ethernet || reaches) names.push_back(device.name);
  }
  return names;
}

bool has_active_adapter(const HostView& host) {
  const auto& devices = host.facts.fabric.infiniband;
  return std::any_of(devices.begin(), devices.end(), [](const InfinibandDevice& device) { return device.active; });
}

/// Without a word from NCCL nobody knows why a job stands still. Its default is silence, and standard output is the
/// program's own.
std::map<std::string, std::string> diagnostics_of(const HostView& host) {
  if (host.facts.gpus.empty() || rank_variable(host, "NCCL_DEBUG")) return {};
  if (rank_variable(host, "NCCL_DEBUG_FILE")) return {{"NCCL_DEBUG", "WARN"}};
  return {{"NCCL_DEBUG", "WARN"}, {"NCCL_DEBUG_FILE", "/dev/stderr"}};
}

std::map<std::string, std::string> environment_of(const HostView& host, const HostNetwork& network,
                                                  bool adapters_everywhere) {
  std::map<std::string, std::string> wanted;
  wanted["NCCL_SOCKET_IFNAME"] = "=" + joined(network.interfaces);
  wanted["GLOO_SOCKET_IFNAME"] = network.interfaces[0];
  const std::vector<std::string> adapters = adapters_that_reach(host, network);
  if (host.facts.software.ucx) {
    std::vector<std::string> devices;
    for (const std::string& adapter : adapters) devices.push_back(adapter + ":1");
    devices.insert(devices.end(), network.interfaces.begin(), network.interfaces.end());
    wanted["UCX_NET_DEVICES"] = joined(devices);
  }
  if (adapters_everywhere && has_active_adapter(host)) wanted["NCCL_IB_HCA"] = "=" + joined(adapters);
  for (auto it = wanted.begin(); it != wanted.end();) {
    it = rank_variable(host, it->first) ? wanted.erase(it) : std::next(it);
  }
  return wanted;
}

bool is_set(const Situation& situation, const std::string& name) {
  static constexpr std::array kPrefixes = {"OMPI_MCA_", "PRTE_MCA_"};
  const auto& parameters = situation.parameters;
  if (std::any_of(parameters.begin(), parameters.end(), [&](const auto& given) { return given.first == name; }))
    return true;
  for (const char* prefix : kPrefixes) {
    if (situation.launcher_environment.count(prefix + name) != 0) return true;
  }
  return std::any_of(situation.hosts.begin(), situation.hosts.end(), [&](const HostView& host) {
    const auto& files = host.facts.configuration.mca_files;
    return rank_variable(host, "OMPI_MCA_" + name) ||
           std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.second.count(name) != 0; });
  });
}

void add_ports(NetworkSettings& settings, const PortShares& shares) {
  settings.parameters.emplace_back("btl_tcp_port_min_v4", std::to_string(shares.ranks.first));
  settings.parameters.emplace_back("btl_tcp_port_range_v4", std::to_string(shares.ranks.last - shares.ranks.first + 1));
  settings.parameters.emplace_back("oob_tcp_dynamic_ipv4_ports",
                                   std::to_string(shares.daemons.first) + "-" + std::to_string(shares.daemons.last));
}

}  // namespace

NetworkSettings network_settings(const Situation& situation) {
  NetworkSettings settings;
  for (const HostView& host : situation.hosts) settings.environment.push_back(diagnostics_of(host));
  if (situation.reach.empty()) return settings;
  std::vector<std::string> rank_networks;
  std::vector<std::string> daemon_networks;
  const auto add = [](std::vector<std::string>& networks, const HostNetwork& host) {
    for (const std::string& network : host.networks) {
      if (std::find(networks.begin(), networks.end(), network) == networks.end()) networks.push_back(network);
    }
  };
  const bool adapters_everywhere =
      std::all_of(situation.hosts.begin(), situation.hosts.end(),
                  [](const HostView& host) { return host.launches_only || has_active_adapter(host); });
  bool complete = true;
  for (std::size_t i = 0; i < situation.hosts.size(); ++i) {
    const HostView& host = situation.hosts[i];
    const HostNetwork& network = situation.network.hosts[i];
    complete = complete && !network.interfaces.empty();
    if (network.interfaces.empty()) continue;
    add(daemon_networks, network);
    if (host.launches_only) continue;
    add(rank_networks, network);
    settings.environment[i].merge(environment_of(host, network, adapters_everywhere));
    settings.lines.push_back(host.name + " uses " + joined(network.interfaces) + " " + network.address);
  }
  // A host that is not among the networks could use none.
  if (complete) {
    if (!is_set(situation, "btl_tcp_if_include") && !is_set(situation, "btl_tcp_if_exclude"))
      settings.parameters.emplace_back("btl_tcp_if_include", joined(rank_networks));
    if (!is_set(situation, "oob_tcp_if_include") && !is_set(situation, "oob_tcp_if_exclude") &&
        !is_set(situation, "prte_if_include") && !is_set(situation, "prte_if_exclude"))
      settings.parameters.emplace_back("oob_tcp_if_include", joined(daemon_networks));
  }
  if (situation.ports) add_ports(settings, share_ports(*situation.ports));
  settings.master_address = situation.network.hosts[0].address;
  return settings;
}

}  // namespace ringrun
