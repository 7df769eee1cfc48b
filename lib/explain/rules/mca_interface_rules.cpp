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

/// How well what Open MPI would take serves the other hosts, the best last.
enum class Service { failed, unknown, good };

/// An interface that nobody tried is only suspect where it does not lead to other hosts by its kind.
Service service_of(const Situation& situation, std::size_t place, const Interface& interface) {
  const HostView& host = situation.hosts[place];
  Service best = Service::failed;
  for (const InterfaceAddress& address : interface.ipv4) {
    const auto reached = is_reached(situation, place, address.ip, true);
    const bool good = reached.value_or(leads_outside(host, interface));
    best = std::max(best, good ? Service::good : reached ? Service::failed : Service::unknown);
  }
  return best;
}

Service service_of(const Situation& situation, std::size_t place, const std::vector<const Interface*>& taken) {
  Service best = Service::failed;
  for (const Interface* interface : taken) best = std::max(best, service_of(situation, place, *interface));
  return best;
}

/// That no address of a host is reached is another finding's news.
bool is_cut_off(const Situation& situation, std::size_t place) {
  return place < situation.network.hosts.size() && situation.network.hosts[place].interfaces.empty();
}

Severity severity_of(const Situation& situation, bool proven) {
  return needs_mpi(situation) && proven ? Severity::error : Severity::warning;
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
      if (is_usable(interface) && !leads_outside(*host, interface)) networks.insert(network_of(interface.ipv4.front()));
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
  for (const Interface& interface : host.facts.interfaces) {
    if (is_usable(interface) && matches_any(interface, split(include.value))) taken.push_back(&interface);
  }
  const Service service = service_of(situation, place, taken);
  if (service == Service::good || (!taken.empty() && is_cut_off(situation, place))) return;
  out.push_back({"I7",
                 severity_of(situation, service == Service::failed),
                 {host.name},
                 "btl_tcp_if_include " + include.value + " (" + include.where + ") takes " + names_of(taken),
                 "Open MPI has no interface there that the other hosts reach.",
                 include_fix(situation),
                 ""});
}

/// Open MPI 4.1 drops the whole list on a host that lacks one of its names; its daemon waits where none is left.
void check_names(const Situation& situation, const HostView& host, const std::string& parameter, Findings& out) {
  const auto include = mca_setting(situation, host, parameter);
  if (!include) return;
  std::vector<std::string> unknown;
  bool takes_one = false;
  for (const std::string& entry : split(include->value)) {
    const auto& interfaces = host.facts.interfaces;
    const bool known = std::any_of(interfaces.begin(), interfaces.end(), [&](const Interface& interface) {
      return is_usable(interface) && matches(interface, entry);
    });
    takes_one = takes_one || known;
    if (!known && entry.find('/') == std::string::npos) unknown.push_back(entry);
  }
  if (unknown.empty() && takes_one) return;
  out.push_back(
      {"I7",
       parameter.rfind("btl", 0) == 0 && !needs_mpi(situation) ? Severity::warning : Severity::error,
       {host.name},
       parameter + " " + include->value + " (" + include->where + "): this host has " +
           (unknown.empty() ? "no interface there" : "no " + join(unknown)),
       "Open MPI drops the whole list on such a host, and its daemon or its ranks then reach nobody.",
       "# names differ from host to host, networks do not: leave the parameter away, or\nringrun --mca " + parameter +
           " " + (situation.network.networks().empty() ? "NETWORK/LENGTH" : join(situation.network.networks(), ",")) +
           " …",
       ""});
}

void check_exclude(const Situation& situation, std::size_t place, const Setting& exclude, Findings& out) {
  const HostView& host = situation.hosts[place];
  const auto shared = private_networks(situation);
  std::vector<const Interface*> taken;
  std::vector<std::string> wrong;
  bool proven = false;
  for (const Interface& interface : host.facts.interfaces) {
    if (!is_usable(interface) || matches_any(interface, split(exclude.value))) continue;
    taken.push_back(&interface);
    const std::string network = network_of(interface.ipv4.front());
    if (leads_outside(host, interface) || shared.count(network) == 0) continue;
    const Service service = service_of(situation, place, interface);
    if (service == Service::good) continue;
    wrong.push_back(interface.name + " " + network);
    proven = proven || service == Service::failed;
  }
  const Service service = service_of(situation, place, taken);
  const bool reached = service == Service::good || (!taken.empty() && is_cut_off(situation, place));
  if (reached && wrong.empty()) return;
  if (!reached) proven = service == Service::failed;
  const std::string found =
      reached ? "leaves " + join(wrong) + ", which other hosts have too" : "leaves " + names_of(taken);
  out.push_back({"I7",
                 severity_of(situation, proven),
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
    for (const char* daemons : {"oob_tcp_if_include", "prte_if_include"}) check_names(situation, host, daemons, out);
    // Both together are L10.
    if (include && !exclude) {
      const std::size_t before = out.size();
      check_include(situation, place, *include, out);
      if (out.size() == before) check_names(situation, host, "btl_tcp_if_include", out);
    }
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
                     dropped.in_file ? "sed -i '/^ *" + drop + "/d' " + dropped.where
                                     : "# drop one of them: --mca " + drop + ", or\nunset OMPI_MCA_" + drop,
                     ""});
    }
  }
}

}  // namespace ringrun
