#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

/// "docker0" or "172.17.0.0/16".
bool matches(const Interface& interface, const std::string& entry) {
  const std::size_t slash = entry.find('/');
  if (slash == std::string::npos) return interface.name == entry;
  const int prefix = std::atoi(entry.c_str() + slash + 1);
  const InterfaceAddress network{entry.substr(0, slash), prefix};
  return std::any_of(interface.ipv4.begin(), interface.ipv4.end(),
                     [&](const InterfaceAddress& address) { return contains(network, address.ip); });
}

bool matches_any(const Interface& interface, const std::vector<std::string>& list) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& entry) { return matches(interface, entry); });
}

bool is_usable(const Interface& interface) {
  return interface.up && interface.kind != InterfaceKind::loopback && !interface.ipv4.empty();
}

bool is_chosen(const Situation& situation, std::size_t place, const Interface& interface) {
  if (place >= situation.network.hosts.size()) return true;
  const auto& names = situation.network.hosts[place].interfaces;
  return names.empty() || std::find(names.begin(), names.end(), interface.name) != names.end();
}

std::string names_of(const std::vector<const Interface*>& interfaces) {
  std::vector<std::string> names;
  for (const Interface* interface : interfaces) names.push_back(interface->name + " " + interface->ipv4.front().ip);
  return names.empty() ? "none of this host's interfaces" : join(names);
}

/// Networks of bridges and the like that several hosts have, each its own: Open MPI takes them for one.
std::map<std::string, std::vector<std::string>> private_networks(const Situation& situation) {
  std::map<std::string, std::vector<std::string>> owners;
  for (const HostView* host : rank_hosts(situation)) {
    std::set<std::string> networks;
    for (const Interface& interface : host->facts.interfaces) {
      if (is_usable(interface) && !leads_outside(interface)) networks.insert(network_of(interface.ipv4.front()));
    }
    for (const std::string& network : networks) owners[network].push_back(host->name);
  }
  for (auto owner = owners.begin(); owner != owners.end();) {
    owner = owner->second.size() < 2 ? owners.erase(owner) : std::next(owner);
  }
  return owners;
}

std::string include_fix(const Situation& situation) {
  const std::vector<std::string> networks = situation.network.networks();
  return "# leave the parameter away, ringrun sets it; or\nringrun --mca btl_tcp_if_include " +
         (networks.empty() ? std::string("NETWORK/LENGTH") : join(networks, ",")) + " …";
}

void check_include(const Situation& situation, std::size_t place, const Setting& include, Findings& out) {
  const HostView& host = situation.hosts[place];
  std::vector<const Interface*> taken;
  bool reached = false;
  for (const Interface& interface : host.facts.interfaces) {
    if (!is_usable(interface) || !matches_any(interface, split(include.value))) continue;
    taken.push_back(&interface);
    reached = reached || is_chosen(situation, place, interface);
  }
  if (reached) return;
  out.push_back({"I7",
                 needs_mpi(situation) ? Severity::error : Severity::warning,
                 {host.name},
                 "btl_tcp_if_include " + include.value + " (" + include.where + ") takes " + names_of(taken),
                 "Open MPI has no interface there that the other hosts reach.",
                 include_fix(situation),
                 ""});
}

void check_exclude(const Situation& situation, std::size_t place, const Setting& exclude, Findings& out) {
  const HostView& host = situation.hosts[place];
  const auto shared = private_networks(situation);
  std::vector<const Interface*> taken;
  std::vector<std::string> wrong;
  for (const Interface& interface : host.facts.interfaces) {
    if (!is_usable(interface) || matches_any(interface, split(exclude.value))) continue;
    taken.push_back(&interface);
    const std::string network = network_of(interface.ipv4.front());
    if (!leads_outside(interface) && shared.count(network) != 0) wrong.push_back(interface.name + " " + network);
  }
  const bool reached = std::any_of(taken.begin(), taken.end(),
                                   [&](const Interface* interface) { return is_chosen(situation, place, *interface); });
  if (reached && wrong.empty()) return;
  const std::string found =
      reached ? "leaves " + join(wrong) + ", which other hosts have too" : "leaves " + names_of(taken);
  out.push_back({"I7",
                 needs_mpi(situation) ? Severity::error : Severity::warning,
                 {host.name},
                 "btl_tcp_if_exclude " + exclude.value + " (" + exclude.where + ") " + found,
                 reached
                     ? "Open MPI takes networks of the same numbers for one network and connects to the wrong host, "
                       "or waits for ever."
                     : "Open MPI has no interface there that the other hosts reach.",
                 include_fix(situation),
                 ""});
}

}  // namespace

void find_mca_interface_faults(const Situation& situation, Findings& out) {
  if (rank_hosts(situation).size() < 2) return;
  bool said = false;
  for (std::size_t place = 0; place < situation.hosts.size(); ++place) {
    const HostView& host = situation.hosts[place];
    if (host.fault != AgentFault::none || host.launches_only) continue;
    const auto include = mca_setting(situation, host, "btl_tcp_if_include");
    const auto exclude = mca_setting(situation, host, "btl_tcp_if_exclude");
    said = said || include || exclude;
    // Both together are L10.
    if (include && !exclude) check_include(situation, place, *include, out);
    if (exclude && !include) check_exclude(situation, place, *exclude, out);
  }
  if (said || !needs_mpi(situation)) return;
  const std::vector<std::string> networks = situation.network.networks();
  if (networks.empty()) return;
  for (const auto& [network, hosts] : private_networks(situation)) {
    out.push_back({"I7", Severity::note, hosts, network + " is a private network on each of these hosts",
                   "Plain Open MPI takes them for one network and hangs.", "",
                   "ringrun sets btl_tcp_if_include to " + join(networks, ",") + "."});
  }
}

void find_doubled_addresses(const Situation& situation, Findings& out) {
  for (std::size_t place = 0; place < std::min(situation.hosts.size(), situation.network.hosts.size()); ++place) {
    const HostView& host = situation.hosts[place];
    if (host.fault != AgentFault::none || host.launches_only) continue;
    for (const Interface& interface : host.facts.interfaces) {
      if (interface.ipv4.size() < 2) continue;
      const auto& chosen = situation.network.hosts[place].interfaces;
      if (std::find(chosen.begin(), chosen.end(), interface.name) == chosen.end()) continue;
      const InterfaceAddress& first = interface.ipv4.front();
      const InterfaceAddress& second = interface.ipv4[1];
      const bool named = host.address != first.ip && owns(host, host.address) &&
                         find_address(host.facts.interfaces, host.address) == &interface;
      if (!contains(first, second.ip) && !named) continue;
      out.push_back(
          {"I8",
           needs_mpi(situation) && contains(first, second.ip) ? Severity::warning : Severity::note,
           {host.name},
           interface.name + " has " + first.ip + " and " + second.ip + (named ? "; named by a later one" : ""),
           "NCCL takes an interface's first address only, and Open MPI may meet connections from an address "
           "that it does not expect.",
           "sudo ip addr del " + second.ip + "/" + std::to_string(second.prefix) + " dev " + interface.name,
           ""});
    }
  }
}

void find_contradicting_parameters(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    for (const std::string& name : {std::string("btl_tcp_if"), std::string("oob_tcp_if")}) {
      const auto include = mca_setting(situation, *host, name + "_include");
      const auto exclude = mca_setting(situation, *host, name + "_exclude");
      if (!include || !exclude) continue;
      const Setting& dropped = exclude->in_file ? *exclude : *include;
      const std::string drop = name + (exclude->in_file ? "_exclude" : "_include");
      out.push_back({"L10",
                     needs_mpi(situation) ? Severity::error : Severity::warning,
                     {host->name},
                     name + "_include " + include->value + " (" + include->where + ") and " + name + "_exclude " +
                         exclude->value + " (" + exclude->where + ")",
                     "Open MPI ends where both are given.",
                     dropped.in_file ? "sed -i '/^ *" + drop + "/d' " + dropped.where : "unset OMPI_MCA_" + drop,
                     ""});
    }
  }
}

}  // namespace ringrun
