#include "launcher/preflight/report.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lib/explain/host_queries.hpp"
#include "lib/text/table.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::ordered_json;

std::string address_of(const Interface& interface) {
  if (interface.ipv4.empty()) return "-";
  return interface.ipv4[0].ip + "/" + std::to_string(interface.ipv4[0].prefix);
}

std::string describe(const HostView& host) {
  const HostFacts& facts = host.facts;
  std::string text = facts.system.distribution.empty() ? "Linux " + facts.system.kernel : facts.system.distribution;
  if (facts.system.wsl)
    text +=
        ", WSL2 (" + (facts.system.wsl_networking.empty() ? "networking unknown" : facts.system.wsl_networking) + ")";
  if (!facts.system.container_marks.empty()) text += ", in a container";
  text += ", Open MPI " + (facts.software.open_mpi.empty() ? "not found" : facts.software.open_mpi);
  if (!facts.software.nccl.empty()) text += ", NCCL " + facts.software.nccl;
  if (!facts.software.driver.empty()) text += ", driver " + facts.software.driver;
  text += ", " + std::to_string(facts.gpus.size()) + (facts.gpus.size() == 1 ? " GPU" : " GPUs");
  return text;
}

const char* word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::reached:
      return "reached";
    case Outcome::refused:
      return "refused";
    case Outcome::no_route:
      return "no route";
    case Outcome::no_host:
      return "no such host";
    case Outcome::dropped:
      return "no answer";
    case Outcome::wrong_host:
      return "another host answers";
    case Outcome::failed:
      break;
  }
  return "failed";
}

std::string path_of(const Link& link) {
  if (link.mtu_tried == 0) return "";
  if (link.mtu_passed >= link.mtu_tried) return "packets of " + std::to_string(link.mtu_tried) + " pass";
  return "packets of " + std::to_string(link.mtu_passed) + " pass, of " + std::to_string(link.mtu_tried) + " do not";
}

// Of more hosts than this, those that are alike are shown as one.
constexpr std::size_t kMostShown = 16;

bool folds(const Situation& situation) { return situation.hosts.size() > kMostShown; }

std::string marks_of(const HostView& host) {
  const std::string marks = host.launches_only ? " (launches only)" : host.local ? " (this host)" : "";
  return host.container.empty() ? marks : marks + " (its container " + host.container + ")";
}

std::string text_of(const HostView& host, bool with_addresses) {
  if (host.fault != AgentFault::none) return "no answer\n";
  std::string text = describe(host) + "\n";
  for (const Interface& interface : host.facts.interfaces) {
    if (!interface.up || interface.kind == InterfaceKind::loopback) continue;
    text += "  " + interface.name + (with_addresses ? " " + address_of(interface) : "") + " mtu " +
            std::to_string(interface.mtu);
    if (interface.speed > 0) text += " " + std::to_string(interface.speed) + " Mb/s";
    text += "\n";
  }
  return text;
}

/// "62 hosts (a, b, … z)", or the one's name.
std::string title_of(const std::vector<const HostView*>& hosts) {
  constexpr std::size_t kNamed = 4;
  if (hosts.size() == 1) return hosts[0]->name;
  std::string names = hosts[0]->name;
  const bool all = hosts.size() <= kNamed;
  for (std::size_t i = 1; i < (all ? hosts.size() : 2); ++i) names += ", " + hosts[i]->name;
  if (!all) names += ", … " + hosts.back()->name;
  return std::to_string(hosts.size()) + " hosts (" + names + ")";
}

void print_hosts(std::ostream& out, const Situation& situation) {
  std::vector<std::vector<const HostView*>> groups;
  std::map<std::string, std::size_t> places;
  for (const HostView& host : situation.hosts) {
    const std::string key = folds(situation) ? marks_of(host) + "\n" + text_of(host, false) : host.name;
    const auto [entry, first] = places.try_emplace(key, groups.size());
    if (first || !folds(situation)) {
      groups.push_back({&host});
    } else {
      groups[entry->second].push_back(&host);
    }
  }
  for (const auto& hosts : groups)
    out << title_of(hosts) << marks_of(*hosts[0]) << ": " << text_of(*hosts[0], hosts.size() == 1);
}

void print_links(std::ostream& out, const Situation& situation) {
  if (situation.reach.empty()) return;
  Table table({"from", "to", "address", "ports", "result", "path"});
  // By their paths.
  std::map<std::string, int> folded;
  bool any = false;
  for (const Link& link : situation.reach) {
    if (folds(situation) && is_good(link)) {
      ++folded[path_of(link)];
      continue;
    }
    std::string ports;
    for (const Attempt& attempt : link.attempts) ports += (ports.empty() ? "" : ",") + std::to_string(attempt.port);
    table.add_row({situation.hosts[static_cast<std::size_t>(link.from)].name,
                   situation.hosts[static_cast<std::size_t>(link.to)].name, link.address, ports,
                   word_of(outcome_of(link)), path_of(link)});
    any = true;
  }
  out << "\n";
  if (any) table.print(out);
  for (const auto& [path, count] : folded) {
    out << count << (any ? " more" : "") << " ways from a host to another one's address: reached"
        << (path.empty() ? "" : ", ") << path << "\n";
  }
}

void print_choice(std::ostream& out, const Situation& situation, const NetworkSettings& settings) {
  if (settings.lines.empty()) return;
  out << "\n";
  if (!folds(situation)) {
    for (const std::string& line : settings.lines) out << line << "\n";
    return;
  }
  std::map<std::string, std::vector<const HostView*>> hosts;
  for (std::size_t i = 0; i < situation.hosts.size(); ++i) {
    const std::vector<std::string>& interfaces = situation.network.hosts[i].interfaces;
    if (!interfaces.empty() && !situation.hosts[i].launches_only)
      hosts[join(interfaces, ",")].push_back(&situation.hosts[i]);
  }
  for (const auto& [interfaces, users] : hosts)
    out << title_of(users) << (users.size() == 1 ? " uses " : " use ") << interfaces << "\n";
}

Json link_to_json(const Situation& situation, const Link& link) {
  Json attempts = Json::array();
  for (const Attempt& attempt : link.attempts) {
    attempts.push_back({{"port", attempt.port},
                        {"outcome", word_of(attempt.outcome)},
                        {"errno", attempt.error},
                        {"milliseconds", attempt.milliseconds}});
  }
  return {{"from", situation.hosts[static_cast<std::size_t>(link.from)].name},
          {"to", situation.hosts[static_cast<std::size_t>(link.to)].name},
          {"address", link.address},
          {"outcome", word_of(outcome_of(link))},
          {"attempts", attempts},
          {"source", link.source},
          {"seen_as", link.seen_as},
          {"mtu_tried", link.mtu_tried},
          {"mtu_passed", link.mtu_passed}};
}

}  // namespace

void print_report(std::ostream& out, const Situation& situation, const NetworkSettings& settings,
                  const Findings& findings) {
  print_hosts(out, situation);
  print_links(out, situation);
  print_choice(out, situation, settings);
  out << "\n";
  print(out, findings);
  if (findings.empty()) out << "nothing found that stands in the way\n";
}

void print_report_json(std::ostream& out, const Situation& situation, const NetworkSettings& settings,
                       const Findings& findings) {
  Json hosts = Json::array();
  for (std::size_t i = 0; i < situation.hosts.size(); ++i) {
    const HostView& host = situation.hosts[i];
    Json item = {{"name", host.name}, {"answered", host.fault == AgentFault::none}};
    if (host.fault == AgentFault::none) {
      item["interfaces"] = situation.network.hosts[i].interfaces;
      item["environment"] = settings.environment[i];
      item["facts"] = Json::parse(to_json(host.facts));
    }
    hosts.push_back(std::move(item));
  }
  Json links = Json::array();
  for (const Link& link : situation.reach) links.push_back(link_to_json(situation, link));
  const Json report = {{"schema", 1}, {"hosts", hosts}, {"links", links}, {"findings", Json::parse(to_json(findings))}};
  out << report.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace ringrun
