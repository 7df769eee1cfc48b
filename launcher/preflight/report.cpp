#include "launcher/preflight/report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

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

void print_hosts(std::ostream& out, const Situation& situation) {
  for (const HostView& host : situation.hosts) {
    out << host.name << (host.launches_only ? " (launches only)" : host.local ? " (this host)" : "");
    if (!host.container.empty()) out << " (its container " << host.container << ")";
    out << ": ";
    if (host.fault != AgentFault::none) {
      out << "no answer\n";
      continue;
    }
    out << describe(host) << "\n";
    for (const Interface& interface : host.facts.interfaces) {
      if (!interface.up || interface.kind == InterfaceKind::loopback) continue;
      out << "  " << interface.name << " " << address_of(interface) << " mtu " << interface.mtu;
      if (interface.speed > 0) out << " " << interface.speed << " Mb/s";
      out << "\n";
    }
  }
}

void print_links(std::ostream& out, const Situation& situation) {
  if (situation.reach.empty()) return;
  Table table({"from", "to", "address", "ports", "result", "path"});
  for (const Link& link : situation.reach) {
    std::string ports;
    for (const Attempt& attempt : link.attempts) ports += (ports.empty() ? "" : ",") + std::to_string(attempt.port);
    table.add_row({situation.hosts[static_cast<std::size_t>(link.from)].name,
                   situation.hosts[static_cast<std::size_t>(link.to)].name, link.address, ports,
                   word_of(outcome_of(link)), path_of(link)});
  }
  out << "\n";
  table.print(out);
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
  if (!settings.lines.empty()) out << "\n";
  for (const std::string& line : settings.lines) out << line << "\n";
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
