#include "launcher/preflight/network_settings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "launcher/preflight/adapters.hpp"
#include "launcher/preflight/port_shares.hpp"
#include "lib/error.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/net/nccl_interface.hpp"

namespace ringrun {
namespace {

/// The other hosts reach it: it was chosen, or was tried and never failed.
bool serves(const Situation& situation, std::size_t place, const Interface& interface) {
  const std::vector<std::string>& chosen = situation.network.hosts[place].interfaces;
  if (std::find(chosen.begin(), chosen.end(), interface.name) != chosen.end()) return true;
  if (interface.ipv4.empty() || interface.kind == InterfaceKind::loopback) return false;
  return is_reached(situation, place, interface.ipv4.front().ip).value_or(false);
}

/// An administrator's NCCL_SOCKET_IFNAME in a file of NCCL's on that host, and every interface that it takes serves.
bool file_names_interfaces(const Situation& situation, std::size_t place) {
  const HostView& host = situation.hosts[place];
  const std::optional<Setting> setting = nccl_setting(host, "NCCL_SOCKET_IFNAME");
  if (!setting || !setting->in_file) return false;
  const std::optional<Setting> family = nccl_setting(host, "NCCL_SOCKET_FAMILY");
  const auto taken = nccl_interfaces(host.facts.interfaces, setting->value, family ? family->value : "");
  return !taken.empty() && std::all_of(taken.begin(), taken.end(), [&](const Interface* interface) {
    return serves(situation, place, *interface);
  });
}

bool file_names_adapters(const HostView& host, const std::vector<InfinibandDevice>& adapters) {
  const std::optional<Setting> setting = nccl_setting(host, "NCCL_IB_HCA");
  return setting && setting->in_file && takes_adapter(setting->value, adapters);
}

/// Without a word from NCCL nobody knows why a job stands still. Its default is silence, and standard output is the
/// program's own.
std::map<std::string, std::string> diagnostics_of(const HostView& host) {
  if (host.facts.gpus.empty() || nccl_setting(host, "NCCL_DEBUG")) return {};
  if (nccl_setting(host, "NCCL_DEBUG_FILE")) return {{"NCCL_DEBUG", "WARN"}};
  return {{"NCCL_DEBUG", "WARN"}, {"NCCL_DEBUG_FILE", "/dev/stderr"}};
}

/// NCCL repeats a refused connection for a minute before it says a word (34 times, each 0.1 s later than the last);
/// where nobody looked at the network, eight seconds tell as much. Many hosts at once may refuse for a while without a
/// fault.
void give_up_sooner(const Situation& situation, std::map<std::string, std::string>& environment, std::size_t place) {
  constexpr std::size_t kFewHosts = 32;
  const HostView& host = situation.hosts[place];
  const std::size_t hosts = situation.hosts.size();
  if (hosts < 2 || hosts > kFewHosts || host.facts.gpus.empty() || nccl_setting(host, "NCCL_SOCKET_RETRY_CNT")) return;
  environment["NCCL_SOCKET_RETRY_CNT"] = "12";
}

std::map<std::string, std::string> environment_of(const Situation& situation, std::size_t place,
                                                  bool adapters_everywhere) {
  const HostView& host = situation.hosts[place];
  const HostNetwork& network = situation.network.hosts[place];
  std::map<std::string, std::string> wanted;
  if (!file_names_interfaces(situation, place)) wanted["NCCL_SOCKET_IFNAME"] = "=" + join(network.interfaces, ",");
  wanted["GLOO_SOCKET_IFNAME"] = network.interfaces[0];
  const std::vector<InfinibandDevice> adapters = adapters_that_reach(host, network);
  const bool unknown = adapters.empty() && has_active_adapter(host);
  if (host.facts.software.ucx && !unknown) {
    std::vector<std::string> devices;
    for (const InfinibandDevice& adapter : adapters) {
      devices.push_back(adapter.name + ":" + std::to_string(adapter.port));
    }
    devices.insert(devices.end(), network.interfaces.begin(), network.interfaces.end());
    wanted["UCX_NET_DEVICES"] = join(devices, ",");
  }
  if (adapters_everywhere && !adapters.empty() && !file_names_adapters(host, adapters)) {
    std::vector<std::string> names;
    for (const InfinibandDevice& adapter : adapters) names.push_back(adapter.name);
    wanted["NCCL_IB_HCA"] = "=" + join(names, ",");
  }
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

bool is_any_set(const Situation& situation, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return is_set(situation, name); });
}

/// An MPI_Init that finds no port left says nothing of use.
void check_ports(const Situation& situation, const PortRange& ports, int for_ranks) {
  for (const HostView& host : situation.hosts) {
    if (host.ranks <= for_ranks) continue;
    throw UserError("--port-range " + std::to_string(ports.first) + "-" + std::to_string(ports.last) + " leaves " +
                        std::to_string(for_ranks) + " ports for ranks, and " + host.name + " has " +
                        std::to_string(host.ranks) + " ranks, which listen on one each",
                    "give it " + std::to_string(ports_for(host.ranks)) + " ports or more");
  }
}

void add_ports(NetworkSettings& settings, const Situation& situation) {
  const PortShares shares = share_ports(*situation.ports);
  const int for_ranks = shares.ranks.last - shares.ranks.first + 1;
  if (!is_any_set(situation, {"btl_tcp_port_min_v4", "btl_tcp_port_range_v4"})) {
    if (needs_mpi(situation)) check_ports(situation, *situation.ports, for_ranks);
    settings.parameters.emplace_back("btl_tcp_port_min_v4", std::to_string(shares.ranks.first));
    settings.parameters.emplace_back("btl_tcp_port_range_v4", std::to_string(for_ranks));
  }
  // Open MPI 5 knows it by this name too (5.0.7, measured).
  if (!is_any_set(situation, {"oob_tcp_dynamic_ipv4_ports", "oob_tcp_static_ipv4_ports"})) {
    const PortRange daemons = situation.daemon_ports.value_or(shares.daemons);
    settings.daemon_ports = daemons;
    settings.parameters.emplace_back("oob_tcp_dynamic_ipv4_ports",
                                     std::to_string(daemons.first) + "-" + std::to_string(daemons.last));
  }
}

/// What Open MPI's ranks may use. A list that names a network which a host lacks makes each of its ranks complain, so
/// hosts of different networks get lists of their own.
void add_rank_networks(NetworkSettings& settings, const Situation& situation) {
  if (is_any_set(situation, {"btl_tcp_if_include", "btl_tcp_if_exclude"})) return;
  std::set<std::string> lists;
  const auto list_of = [&](std::size_t i) { return join(situation.network.hosts[i].networks, ","); };
  for (std::size_t i = 0; i < situation.hosts.size(); ++i) {
    if (!situation.hosts[i].launches_only) lists.insert(list_of(i));
  }
  if (lists.size() == 1) settings.parameters.emplace_back("btl_tcp_if_include", *lists.begin());
  if (lists.size() < 2) return;
  for (std::size_t i = 0; i < situation.hosts.size(); ++i) {
    if (!situation.hosts[i].launches_only) settings.environment[i]["OMPI_MCA_btl_tcp_if_include"] = list_of(i);
  }
}

/// The daemons read one list.
void add_daemon_networks(NetworkSettings& settings, const Situation& situation) {
  if (is_any_set(situation, {"oob_tcp_if_include", "oob_tcp_if_exclude", "prte_if_include", "prte_if_exclude"})) return;
  settings.parameters.emplace_back("oob_tcp_if_include", join(situation.network.networks(), ","));
}

}  // namespace

NetworkSettings network_settings(const Situation& situation) {
  NetworkSettings settings;
  for (const HostView& host : situation.hosts) settings.environment.push_back(diagnostics_of(host));
  if (situation.reach.empty()) {
    for (std::size_t i = 0; i < situation.hosts.size(); ++i) give_up_sooner(situation, settings.environment[i], i);
    return settings;
  }
  const bool adapters_everywhere =
      std::all_of(situation.hosts.begin(), situation.hosts.end(),
                  [](const HostView& host) { return host.launches_only || has_active_adapter(host); });
  for (std::size_t i = 0; i < situation.hosts.size(); ++i) {
    const HostView& host = situation.hosts[i];
    const HostNetwork& network = situation.network.hosts[i];
    if (network.interfaces.empty() || host.launches_only) continue;
    settings.environment[i].merge(environment_of(situation, i, adapters_everywhere));
    settings.lines.push_back(host.name + " uses " + join(network.interfaces, ",") + " " + network.address);
  }
  // A host that is not among the networks could use none.
  if (situation.network.complete()) {
    add_rank_networks(settings, situation);
    add_daemon_networks(settings, situation);
  }
  if (situation.ports) add_ports(settings, situation);
  settings.master_address = situation.network.hosts[0].address;
  return settings;
}

}  // namespace ringrun
