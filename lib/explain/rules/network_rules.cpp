#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include "lib/explain/broken_pairs.hpp"
#include "lib/explain/host_queries.hpp"
#include "lib/explain/rules/rows.hpp"

namespace ringrun {
namespace {

/// Where the connections that failed came from, as an address or, where both share one, a network.
std::vector<std::string> sources_of(const Situation& situation, const BrokenPairs& broken) {
  std::set<std::string> sources;
  for (const BrokenDirection& direction : broken.directions) {
    const Link& link = *direction.links.front();
    const HostView& from = situation.hosts[direction.from];
    std::string source = link.seen_as.empty() ? link.source : link.seen_as;
    if (source.empty()) source = from.address.empty() ? own_address(from.facts) : from.address;
    for (const Interface& interface : situation.hosts[direction.to].facts.interfaces) {
      for (const InterfaceAddress& address : interface.ipv4) {
        if (address.ip == link.address && contains(address, source)) source = network_of(address);
      }
    }
    sources.insert(source);
  }
  return {sources.begin(), sources.end()};
}

/// Tables and chains have any name, and what one chain accepts another may still drop: the rule goes into each that
/// looks at what comes in.
std::string nft_line(const std::string& source, const PortRange& range) {
  return fmt::format(R"(sudo nft list chains | awk '$1 == "table" {{t = $2 " " $3}} $1 == "chain" {{c = $2}} )"
                     R"($4 == "input" && t ~ /^(ip|inet) / )"
                     R"({{print "insert rule", t, c, "ip saddr {} tcp dport {}-{} accept"}}' | sudo nft -f -)",
                     source, range.first, range.last);
}

std::string firewall_fix(const Situation& situation, const BrokenPairs& broken) {
  constexpr std::size_t kShown = 3;
  // Without a range the kernel chooses, and nothing below 1024.
  const PortRange range = situation.ports.value_or(PortRange{1024, 65535});
  std::vector<std::string> lines = {"# on " + join(names_of(situation, broken), " and ") +
                                    ", the line of the firewall that runs there:"};
  std::vector<std::string> sources = sources_of(situation, broken);
  if (sources.size() > kShown) sources.resize(kShown);
  for (const std::string& source : sources) {
    lines.push_back(nft_line(source, range));
    lines.push_back(fmt::format("sudo ufw allow proto tcp from {} to any port {}:{}", source, range.first, range.last));
    lines.push_back(fmt::format(
        "sudo firewall-cmd --add-rich-rule='rule family=ipv4 source address={} port port={}-{} protocol=tcp accept'",
        source, range.first, range.last));
  }
  if (!situation.ports) lines.emplace_back("# or, where a range is open already:\nringrun --port-range LO-HI …");
  return join(lines, "\n");
}

void find_firewalls(const Situation& situation, const std::string& id, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, id)) {
    std::string why = id == "F2"   ? "Some ports are open and others not; NCCL and MPI listen on any."
                      : id == "F3" ? "The launcher's daemons and ranks on other hosts have to connect to this one."
                                   : "A firewall between the hosts, or on one of them, stops new connections.";
    if (broken.severity == Severity::warning) why += " Open MPI can do with the other direction; NCCL could not.";
    std::string fix = firewall_fix(situation, broken);
    if (id == "F3")
      fix += "\n# where this host has several addresses:\nringrun --mca oob_tcp_if_include NETWORK/LENGTH …";
    out.push_back({id, broken.severity, names_of(situation, broken), describe(situation, broken), why, fix, ""});
  }
}

/// NCCL has no variable for its ports: they come out of the kernel's range.
void find_ports_out_of_range(const Situation& situation, Findings& out) {
  const std::vector<const HostView*> hosts = rank_hosts(situation);
  if (!situation.ports || !uses_nccl(situation) || hosts.size() < 2) return;
  const PortRange& range = *situation.ports;
  for (const HostView* host : hosts) {
    const LimitFacts& limits = host->facts.limits;
    if (limits.local_port_first == 0) continue;
    if (limits.local_port_first >= range.first && limits.local_port_last <= range.last) continue;
    out.push_back({"F2",
                   if_nccl_breaks(situation),
                   {host->name},
                   fmt::format("net.ipv4.ip_local_port_range is {} {}, the port range is {}-{}",
                               limits.local_port_first, limits.local_port_last, range.first, range.last),
                   "NCCL has no option for its ports: it listens where the kernel's range says.",
                   fmt::format("sudo sysctl -w net.ipv4.ip_local_port_range=\"{} {}\"\nringrun --port-range {}-{} …",
                               range.first, range.last, range.first, range.last),
                   ""});
  }
}

void find_translation(const Situation& situation, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, "NAT")) {
    const std::size_t place = broken.hosts.front();
    const HostView& host = situation.hosts[place];
    std::string evidence = describe(situation, broken);
    for (const Link& link : situation.reach) {
      if (static_cast<std::size_t>(link.from) != place || link.seen_as.empty() || owns(host, link.seen_as)) continue;
      evidence += fmt::format("\n{} sees {} as {}, which is none of its addresses ({})",
                              situation.hosts[static_cast<std::size_t>(link.to)].name, host.name, link.seen_as,
                              own_address(host.facts));
      break;
    }
    if (!host.address.empty() && !owns(host, host.address)) {
      evidence += fmt::format("\n{} is none of its addresses ({})", host.address, own_address(host.facts));
    }
    std::string fix = fmt::format(
        "# put {0} into the other hosts' network (a virtual machine: a bridged card; a container: docker run --network "
        "host …; WSL2: networkingMode=mirrored), or join all hosts by a VPN,\n# or, where {0} can be routed to, on "
        "each "
        "other host:\nsudo ip route add {1} via ROUTER",
        host.name, own_address(host.facts));
    out.push_back({"NAT", broken.severity, names_of(situation, broken), evidence,
                   "Its address is translated on the way, so it can call others but they cannot call it; NCCL and MPI "
                   "connect both ways.",
                   fix, ""});
  }
}

void find_other_breaks(const Situation& situation, Findings& out) {
  for (const BrokenPairs& broken : broken_by(situation, "NET")) {
    std::vector<std::string> have;
    for (const std::size_t place : broken.hosts) {
      std::vector<std::string> addresses;
      for (const Interface& interface : situation.hosts[place].facts.interfaces) {
        if (interface.kind == InterfaceKind::loopback || interface.ipv4.empty()) continue;
        addresses.push_back(interface.name + " " + interface.ipv4.front().ip);
      }
      have.push_back(situation.hosts[place].name + " has " + join(addresses));
    }
    const bool ways = broken.directions.empty();
    out.push_back(
        {"NET", broken.severity, names_of(situation, broken),
         (ways ? "every host is reached, but by each peer on another address; " : describe(situation, broken) + "\n") +
             join(have, "; "),
         ways ? "A rank tells all others one address, so one interface has to be reached by all of them."
              : "There is no way between these hosts.",
         "# give the hosts one network in common, or a route, and name them by their addresses in it:\n"
         "ip -br -4 addr; ip route get ADDRESS",
         ""});
  }
}

/// WSL2 has a cause of its own for that (W6).
void find_hosts_without_a_card(const Situation& situation, Findings& out) {
  if (rank_hosts(situation).size() < 2) return;
  for (const HostView* host : rank_hosts(situation)) {
    const auto& interfaces = host->facts.interfaces;
    // Nothing is known of networks of IPv6 alone.
    const bool has_ipv6 = std::any_of(interfaces.begin(), interfaces.end(), [](const Interface& interface) {
      return interface.up && std::any_of(interface.ipv6.begin(), interface.ipv6.end(), [](const InterfaceAddress& one) {
               return one.ip.rfind("fe80", 0) != 0 && one.ip != "::1";
             });
    });
    if (host->facts.system.wsl || has_ipv6 || !own_address(host->facts).empty()) continue;
    std::vector<std::string> have;
    std::string fix;
    for (const Interface& interface : host->facts.interfaces) {
      if (interface.kind == InterfaceKind::loopback) continue;
      const std::string address = interface.ipv4.empty() ? "has no IPv4 address" : interface.ipv4.front().ip;
      have.push_back(interface.name + " " + address + (interface.up ? "" : ", which is down or has no link"));
      if (!interface.up && interface.kind != InterfaceKind::bridge && interface.kind != InterfaceKind::tun)
        fix += "sudo ip link set dev " + interface.name + " up   # on " + host->name + "; or its cable\n";
    }
    // Hosts that have nothing but lo share one machine's.
    if (have.empty()) continue;
    out.push_back({"F7",
                   Severity::error,
                   {host->name},
                   join(have, "; "),
                   "Other hosts have no way to it; the remote shell goes another one.",
                   fix + "ip -br address   # on " + host->name,
                   ""});
  }
}

std::string interface_of(const HostView& host, const std::string& ip) {
  const Interface* interface = find_address(host.facts.interfaces, ip);
  return interface == nullptr ? "IF" : interface->name;
}

void find_small_paths(const Situation& situation, Findings& out) {
  Finding finding{"F4", Severity::note, {}, "", "", "", ""};
  std::vector<std::string> lines;
  std::vector<std::string> fixes;
  const auto add = [](std::vector<std::string>& texts, const std::string& text) {
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  };
  for (const Link& link : situation.reach) {
    const auto from = static_cast<std::size_t>(link.from);
    const auto to = static_cast<std::size_t>(link.to);
    if (!is_needed(situation, link) || link.mtu_passed <= 0 || link.mtu_passed >= link.mtu_tried) continue;
    if (to >= situation.network.hosts.size() || situation.network.hosts[to].address != link.address) continue;
    // TCP sends no larger segments than its peer's own card takes.
    const Interface* peer = find_address(situation.hosts[to].facts.interfaces, link.address);
    if (peer != nullptr && link.mtu_passed >= peer->mtu) continue;
    const HostView& host = situation.hosts[from];
    const std::string interface = interface_of(host, link.source);
    if (link.bulk_passed == 0) finding.severity = Severity::error;
    add(finding.hosts, host.name);
    add(lines, fmt::format("packets of {} bytes from {} ({}) do not arrive at {} ({}); {} pass{}", link.mtu_tried,
                           host.name, interface, situation.hosts[to].name, link.address, link.mtu_passed,
                           link.bulk_passed == 0   ? "; 1 MB over TCP does not arrive"
                           : link.bulk_passed == 1 ? "; 1 MB over TCP arrives"
                                                   : ""));
    add(fixes, fmt::format("sudo ip link set dev {} mtu {}   # on {}", interface, link.mtu_passed, host.name));
  }
  if (lines.empty()) return;
  constexpr std::size_t kShown = 4;
  if (lines.size() > kShown) lines.resize(kShown);
  finding.evidence = join(lines, "\n");
  finding.why = finding.severity == Severity::error
                    ? "Small messages arrive and large ones vanish, so the job starts and then hangs."
                    : "TCP, which the job uses, finds the smaller size here; other protocols lose what is larger.";
  finding.fix = join(fixes, "\n") + "\n# or raise the MTU of everything between the hosts to that of their cards";
  out.push_back(std::move(finding));
}

void find_taken_port(const Situation& situation, Findings& out) {
  for (const HostView* host : rank_hosts(situation)) {
    const HostFacts& facts = host->facts;
    if (facts.master_port_free) continue;
    const auto& launcher = situation.launcher_environment;
    const auto inherited = launcher.find("MASTER_PORT");
    const auto asked = rank_variable(*host, "MASTER_PORT");
    // A variable that was merely there, in the launcher's shell, may be for another program than this one.
    const bool meant = asked || inherited == launcher.end();
    const std::string port = asked ? *asked : meant ? "" : inherited->second;
    const std::string holder = facts.master_port_holder;
    const std::string other = facts.free_port != 0 ? std::to_string(facts.free_port) : "PORT";
    std::string fix = "ringrun --master-port " + other + " …";
    if (holder.rfind("pid ", 0) == 0) {
      fix += "\n# or end what holds it:\nkill " + holder.substr(4, holder.find_first_not_of("0123456789", 4) - 4);
    }
    const int number = std::atoi(port.c_str());
    const bool reserved = holder.empty() && number > 0 && number < 1024 && !facts.system.root;
    out.push_back({"F5",
                   meant ? Severity::error : Severity::warning,
                   {host->name},
                   "MASTER_PORT" + (port.empty() ? "" : " " + port) + (reserved ? " is not allowed" : " is taken") +
                       (holder.empty() ? "" : " by " + holder),
                   reserved ? "Ports below 1024 are root's alone, and rank 0 has to listen there."
                            : "Rank 0 has to listen there; often an earlier job still runs.",
                   fix,
                   ""});
  }
}

}  // namespace

std::vector<CatalogueRow> network_rows() {
  const std::string group = "Firewall, ports, MTU";
  const std::string open = "open the range in `nft`, `ufw` or `firewalld`";
  return {
      {"NAT", group, "one host reaches the others, they do not reach it; the daemon does not call home",
       "address translation between the hosts (not WSL2)",
       "a peer sees the host under an address that it does not have, or has no way back",
       "one network for all hosts: bridged virtual machine, host network, VPN", "", Coverage::detected,
       find_translation},
      {"NET", group, "`Network is unreachable`", "no interface is reached by every peer",
       "probes between all hosts, on every address", "a network that all hosts share, or a route", "",
       Coverage::detected, find_other_breaks},
      {"F1", group, "`No route to host` though ping works, `Connection refused`, or silence",
       "a firewall drops or rejects connections", "several random ports are tried in both directions", open, "N#1105",
       Coverage::detected, [](const Situation& situation, Findings& out) { find_firewalls(situation, "F1", out); }},
      {"F2", group, "works sometimes, or small tests only", "only some ports are open",
       "several random ports are tried; the kernel's port range is compared with `--port-range`",
       "`--port-range LO-HI`, and for NCCL `sysctl -w net.ipv4.ip_local_port_range=\"LO HI\"`", "N#1956, N#388",
       Coverage::detected,
       [](const Situation& situation, Findings& out) {
         find_firewalls(situation, "F2", out);
         find_ports_out_of_range(situation, out);
       }},
      {"F3", group, "`unable to complete a TCP connection`", "a host cannot connect to the launcher",
       "each host tries the launcher's addresses", open + " on the launcher; `--mca oob_tcp_if_include`", "O#12103",
       Coverage::detected, [](const Situation& situation, Findings& out) { find_firewalls(situation, "F3", out); }},
      {"F4", group, "small messages pass, large ones hang", "something between the hosts takes only smaller packets",
       "packets of the interface's MTU that may not be cut are sent, and smaller ones until they pass",
       "`ip link set dev IF mtu N` on both hosts", "", Coverage::detected, find_small_paths},
      {"F5", group, "`Address already in use`", "an earlier job holds MASTER_PORT", "the port is bound before the job",
       "another port; the holder is named", "P#85604", Coverage::detected, find_taken_port},
      {"F6", group, "the others wait for rank 0 until their time is up",
       "MASTER_ADDR or MASTER_PORT is not where rank 0 listens",
       "they are compared with rank 0's host and with the ports that are allowed",
       "leave them out: ringrun chooses both", "", Coverage::detected, find_wrong_rendezvous},
      {"F7", group, "`Network is unreachable`, or a hang, though ssh works",
       "a host has no card that is up with an address", "each host's interfaces",
       "`ip link set dev IF up`, or the cable", "", Coverage::detected, find_hosts_without_a_card},
  };
}

}  // namespace ringrun
