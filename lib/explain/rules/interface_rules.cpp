#include <algorithm>
#include <optional>
#include <string>

#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"
#include "lib/net/nccl_interface.hpp"

namespace ringrun {
namespace {

/// What NCCL would take on a host by the user's word.
struct NcclTaking {
  const HostView* host = nullptr;
  std::size_t place = 0;
  Setting setting;
  std::vector<const Interface*> taken;
};

std::vector<NcclTaking> nccl_takings(const Situation& situation) {
  std::vector<NcclTaking> takings;
  for (std::size_t place = 0; place < situation.hosts.size(); ++place) {
    const HostView& host = situation.hosts[place];
    if (host.fault != AgentFault::none || host.launches_only) continue;
    const std::optional<Setting> setting = nccl_setting(host, "NCCL_SOCKET_IFNAME");
    if (!setting || setting->value.empty()) continue;
    const std::optional<Setting> family = nccl_setting(host, "NCCL_SOCKET_FAMILY");
    takings.push_back(
        {&host, place, *setting, nccl_interfaces(host.facts.interfaces, setting->value, family ? family->value : "")});
  }
  return takings;
}

/// A wrong word stops an NCCL job; in a file it is beaten by what ringrun sets.
Severity severity_of(const Situation& situation, const Setting& setting) {
  if (setting.in_file) return uses_nccl(situation) ? Severity::warning : Severity::note;
  return uses_nccl(situation) ? if_nccl_breaks(situation) : Severity::warning;
}

std::string done_about(const Situation& situation, const NcclTaking& taking) {
  if (!taking.setting.in_file || taking.place >= situation.network.hosts.size()) return {};
  const std::vector<std::string>& chosen = situation.network.hosts[taking.place].interfaces;
  return chosen.empty() ? "" : "ringrun sets NCCL_SOCKET_IFNAME==" + join(chosen, ",") + ", which beats the file.";
}

std::string said(const Setting& setting) { return "NCCL_SOCKET_IFNAME=" + setting.value + " (" + setting.where + ")"; }

std::string better_name(const Situation& situation, const NcclTaking& taking) {
  const auto& chosen = situation.network.hosts;
  const bool known = taking.place < chosen.size() && !chosen[taking.place].interfaces.empty();
  const std::string name = known ? chosen[taking.place].interfaces.front() : "NAME";
  if (taking.setting.in_file)
    return "# in " + taking.setting.where + " on " + taking.host->name + ":\nNCCL_SOCKET_IFNAME==" + name;
  return "unset NCCL_SOCKET_IFNAME   # or take it out of -x and of env. in the hostfile: ringrun finds each host's\n"
         "# or for this host alone, at the end of its line in the hostfile:\n#: env.NCCL_SOCKET_IFNAME==" +
         name;
}

/// False where some peer that needs this interface's first address did not reach it; unset where nobody tried.
std::optional<bool> is_reached(const Situation& situation, std::size_t place, const Interface& interface) {
  if (interface.ipv4.empty()) return std::nullopt;
  const std::optional<bool> reached = is_reached(situation, place, interface.ipv4.front().ip);
  if (!reached && !leads_outside(situation.hosts[place], interface)) return false;
  return reached;
}

bool several_hosts(const Situation& situation) { return rank_hosts(situation).size() > 1; }

void find_unreachable_choices(const Situation& situation, Findings& out) {
  if (!several_hosts(situation)) return;
  for (const NcclTaking& taking : nccl_takings(situation)) {
    if (taking.taken.empty()) continue;
    const Interface& first = *taking.taken.front();
    if (first.kind == InterfaceKind::loopback || first.ipv4.empty()) continue;
    if (is_reached(situation, taking.place, first).value_or(true)) continue;
    // That no address of this host is reached is another finding's news.
    if (situation.network.hosts.size() > taking.place && situation.network.hosts[taking.place].interfaces.empty())
      continue;
    out.push_back({"I1",
                   severity_of(situation, taking.setting),
                   {taking.host->name},
                   said(taking.setting) + " takes " + first.name + " " + first.ipv4.front().ip,
                   "Other hosts cannot connect to that address, so NCCL waits for ever.",
                   better_name(situation, taking),
                   done_about(situation, taking)});
  }
}

void find_loopback_choices(const Situation& situation, Findings& out) {
  if (!several_hosts(situation)) return;
  for (const NcclTaking& taking : nccl_takings(situation)) {
    if (taking.taken.empty() || taking.taken.front()->kind != InterfaceKind::loopback) continue;
    const bool excludes = taking.setting.value[0] == '^';
    std::string fix = better_name(situation, taking);
    if (excludes) {
      fix = (taking.setting.in_file ? "# in " + taking.setting.where + " on " + taking.host->name + ":\n" : "export ") +
            "NCCL_SOCKET_IFNAME=^lo," + taking.setting.value.substr(1);
    }
    out.push_back({"I2",
                   severity_of(situation, taking.setting),
                   {taking.host->name},
                   said(taking.setting) + " takes " + taking.taken.front()->name,
                   excludes ? "A list of exclusions replaces NCCL's own, so lo is no longer excluded."
                            : "Other hosts cannot connect to a loopback address.",
                   fix,
                   done_about(situation, taking)});
  }
}

void find_absent_names(const Situation& situation, Findings& out) {
  for (const NcclTaking& taking : nccl_takings(situation)) {
    if (!taking.taken.empty()) continue;
    std::vector<std::string> names;
    for (const Interface& interface : taking.host->facts.interfaces) names.push_back(interface.name);
    out.push_back({"I3",
                   severity_of(situation, taking.setting),
                   {taking.host->name},
                   said(taking.setting) + " takes none of this host's interfaces: " + join(names),
                   "NCCL ends where its list names no interface; the names differ from host to host.",
                   better_name(situation, taking),
                   done_about(situation, taking)});
  }
}

void find_shared_subnets(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    std::vector<const Interface*> cards;
    for (const Interface& interface : host->facts.interfaces) {
      const bool port = !interface.master.empty();
      if (interface.up && !port && leads_outside(*host, interface) && !interface.ipv4.empty()) {
        cards.push_back(&interface);
      }
    }
    // One finding a host: eight cards in one network are one fault, not twenty-eight.
    std::vector<std::string> seen;
    std::vector<const Interface*> twins;
    for (std::size_t i = 0; i < cards.size(); ++i) {
      if (std::find(twins.begin(), twins.end(), cards[i]) != twins.end()) continue;
      const InterfaceAddress& first = cards[i]->ipv4.front();
      std::vector<std::string> together = {cards[i]->name + " " + first.ip};
      for (std::size_t j = i + 1; j < cards.size(); ++j) {
        const InterfaceAddress& other = cards[j]->ipv4.front();
        if (!contains(first, other.ip) && !contains(other, first.ip)) continue;
        together.push_back(cards[j]->name + " " + other.ip);
        if (twins.empty()) twins.push_back(cards[i]);
        twins.push_back(cards[j]);
      }
      if (together.size() > 1) seen.push_back(join(together, " and ") + " are in one network, " + network_of(first));
    }
    if (seen.empty()) continue;
    out.push_back({"I4",
                   uses_nccl(situation) ? Severity::warning : Severity::note,
                   {host->name},
                   join(seen, "\n"),
                   "The kernel sends everything for that network through one of them, and answers for all of them on "
                   "any, whichever NCCL asks for.",
                   "# use one card alone:\nringrun --nic " + host->name + "=" + twins.front()->name +
                       " …\n# or let each card answer for its own address, and route by the source address:\n"
                       "sudo sysctl -w net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2\n"
                       "# then for each card: ip route add NETWORK dev IF table N; ip rule add from ADDRESS table N",
                   ""});
  }
}

void find_link_local_choices(const Situation& situation, Findings& out) {
  for (const NcclTaking& taking : nccl_takings(situation)) {
    if (taking.taken.empty() || !taking.taken.front()->ipv4.empty()) continue;
    const Interface& first = *taking.taken.front();
    out.push_back({"I5",
                   severity_of(situation, taking.setting),
                   {taking.host->name},
                   said(taking.setting) + " takes " + first.name + ", which has no IPv4 address" +
                       (first.ipv6.empty() ? "" : ", only " + first.ipv6.front().ip),
                   "An address of IPv6 that is valid on one link alone (fe80::…) does not lead to other hosts.",
                   "ringrun -x NCCL_SOCKET_FAMILY=AF_INET …\n# and\n" + better_name(situation, taking),
                   done_about(situation, taking)});
  }
}

void find_prefix_matches(const Situation& situation, Findings& out) {
  for (const NcclTaking& taking : nccl_takings(situation)) {
    const std::string& value = taking.setting.value;
    if (value[0] == '^' || value[0] == '=') continue;
    std::vector<std::string> names;
    bool all_reached = true;
    for (const Interface* interface : taking.taken) {
      names.push_back(interface->name);
      all_reached = all_reached && is_reached(situation, taking.place, *interface).value_or(true);
    }
    for (const std::string& wanted : split(value)) {
      std::vector<std::string> also;
      for (const std::string& name : names) {
        if (name != wanted && name.rfind(wanted, 0) == 0) also.push_back(name);
      }
      // "eth" for eth0 and eth1 is meant so; "bond0" for bond0.2973 is not.
      if (also.empty() || std::find(names.begin(), names.end(), wanted) == names.end()) continue;
      Severity severity = severity_of(situation, taking.setting);
      if (all_reached) severity = std::min(severity, Severity::warning);
      out.push_back({"I6",
                     severity,
                     {taking.host->name},
                     said(taking.setting) + " takes " + wanted + " and also " + join(also),
                     "NCCL reads the name as the beginning of names and uses all of these.",
                     "export NCCL_SOCKET_IFNAME==" + wanted,
                     done_about(situation, taking)});
    }
  }
}

std::string device_of(const std::string& name) { return name.substr(0, name.find(':')); }

/// A list of devices of which none is on the host.
bool names_nothing(const HostView& host, const std::vector<std::string>& names) {
  return !names.empty() && std::none_of(names.begin(), names.end(), [&](const std::string& name) {
    const auto& interfaces = host.facts.interfaces;
    const auto& cards = host.facts.fabric.infiniband;
    return name == "all" ||
           std::any_of(interfaces.begin(), interfaces.end(),
                       [&](const Interface& interface) { return interface.name == name; }) ||
           std::any_of(cards.begin(), cards.end(),
                       [&](const InfinibandDevice& card) { return card.name == device_of(name); });
  });
}

void find_ucx_devices(const Situation& situation, Findings& out) {
  if (!several_hosts(situation) || !needs_mpi(situation)) return;
  for (const HostView* host : rank_hosts(situation)) {
    if (!host->facts.software.ucx) continue;
    const std::optional<std::string> value = rank_variable(*host, "UCX_NET_DEVICES");
    if (!value || !names_nothing(*host, split(*value))) continue;
    out.push_back(
        {"I9",
         Severity::warning,
         {host->name},
         "UCX_NET_DEVICES=" + *value + " names nothing on this host",
         "UCX finds no network there, or takes docker0.",
         "unset UCX_NET_DEVICES   # ringrun sets it for each host\n# or without UCX:\nringrun --mca pml ob1 …",
         ""});
  }
}

void find_gloo_interfaces(const Situation& situation, Findings& out) {
  if (!several_hosts(situation)) return;
  for (const HostView* host : rank_hosts(situation)) {
    const std::optional<std::string> value = rank_variable(*host, "GLOO_SOCKET_IFNAME");
    if (!value || value->empty()) continue;
    const bool loopback = *value == "lo";
    if (!loopback && !names_nothing(*host, split(*value))) continue;
    out.push_back({"I10",
                   Severity::warning,
                   {host->name},
                   "GLOO_SOCKET_IFNAME=" + *value + (loopback ? " is loopback" : " is no interface of this host"),
                   "Gloo tells the other hosts an address that does not lead here.",
                   "unset GLOO_SOCKET_IFNAME   # ringrun sets it for each host",
                   ""});
  }
}

}  // namespace

std::vector<CatalogueRow> interface_rows() {
  const std::string group = "Interfaces";
  const std::string exact = "`NCCL_SOCKET_IFNAME==NAME`, per host; ringrun sets it where you do not";
  return {
      {"I1", group, "br-…, veth or tailscale chosen, then a hang", "NCCL took an interface that peers cannot reach",
       "NCCL's own rule is applied to what is set, and the answer compared with the probes", exact, "N#1320, N#913",
       Coverage::detected, find_unreachable_choices},
      {"I2", group, "lo chosen", "/etc/nccl.conf or the environment excludes docker0 and with that no longer lo",
       "NCCL's rule applied to ~/.nccl.conf, /etc/nccl.conf and the environment", "`NCCL_SOCKET_IFNAME=^docker,lo`", "",
       Coverage::detected, find_loopback_choices},
      {"I3", group, "`Bootstrap : no socket interface found`", "NCCL_SOCKET_IFNAME names no interface of this host",
       "the names are compared with each host's interfaces", exact, "N#286", Coverage::detected, find_absent_names},
      {"I4", group, "NCCL_SOCKET_IFNAME has no effect", "two cards in one network", "overlapping prefixes on one host",
       "one network a card", "N#1580", Coverage::detected, find_shared_subnets},
      {"I5", group, "`fe80::…%eth1` used", "the chosen card has no IPv4 address", "the addresses of what NCCL takes",
       "`-x NCCL_SOCKET_FAMILY=AF_INET`", "H#584", Coverage::detected, find_link_local_choices},
      {"I6", group, "bond0 also takes bond0.2973", "NCCL reads a name as the beginning of names",
       "matches are counted on each host", "`NCCL_SOCKET_IFNAME==bond0`", "N#177", Coverage::detected,
       find_prefix_matches},
      {"I7", group, "`connect() to 172.17.0.1 failed`, or a silent hang",
       "Open MPI uses an interface that the others cannot reach, such as docker0 on both hosts",
       "the same network on both hosts; what is set by the user is applied to each host's interfaces",
       "`--mca btl_tcp_if_include NETWORK/LENGTH`; ringrun sets it where you do not", "H#310, O#6377",
       Coverage::detected, find_mca_interface_faults},
      {"I8", group, "`detected an inbound MPI TCP connection … unexpected`",
       "a card has several addresses in one network", "the addresses of the chosen interfaces",
       "one address a card, or `--mca btl_tcp_if_include` with one network", "O#5818", Coverage::detected,
       find_doubled_addresses},
      {"I9", group, "UCX: `dest_addr=172.17.0.1 … refused`", "UCX took docker0, or a device that is not there",
       "UCX_NET_DEVICES is compared with each host's devices", "`UCX_NET_DEVICES` per host, or `--mca pml ob1`", "",
       Coverage::detected, find_ucx_devices},
      {"I10", group, "Gloo: `remote=[127.0.0.1]`", "Gloo tells the others a loopback address",
       "GLOO_SOCKET_IFNAME is compared with each host's interfaces; W8", "`GLOO_SOCKET_IFNAME` per host", "",
       Coverage::detected, find_gloo_interfaces},
  };
}

}  // namespace ringrun
