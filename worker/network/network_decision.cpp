#include "worker/network/network_decision.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

#include "lib/explain/catalogue.hpp"
#include "lib/net/interface.hpp"

namespace ringrun::worker {
namespace {

constexpr const char* kSocketIfname = "NCCL_SOCKET_IFNAME";

std::string short_name(const HostFacts& facts) { return facts.hostname.substr(0, facts.hostname.find('.')); }

bool carries(const Interface& interface, const std::string& address) {
  return std::any_of(interface.ipv4.begin(), interface.ipv4.end(),
                     [&](const InterfaceAddress& own) { return own.ip == address; });
}

HostView view_of(const JobHost& host, const HostNetwork& network) {
  HostView view;
  view.name = short_name(host.facts);
  view.address = host.named_address.empty() ? network.address : host.named_address;
  if (view.address.empty()) {
    const auto candidates = candidate_addresses(likely_interfaces(host));
    if (!candidates.empty()) view.address = candidates.front();
  }
  view.ranks = host.ranks;
  view.facts = host.facts;
  return view;
}

/// The rest of the catalogue is about starting a job, or about cards: this job has started, and NCCL tells of cards.
/// Notes are for those who ask.
bool is_about_the_network(const Finding& finding) {
  if (finding.severity == Severity::note) return false;
  return finding.id == "NAT" ||
         (!finding.id.empty() && std::string_view("WCIF").find(finding.id[0]) != std::string::npos);
}

Findings about_the_network(Findings findings) {
  findings.erase(std::remove_if(findings.begin(), findings.end(),
                                [](const Finding& finding) { return !is_about_the_network(finding); }),
                 findings.end());
  return findings;
}

}  // namespace

std::vector<Interface> likely_interfaces(const JobHost& host) {
  std::vector<Interface> likely;
  for (const Interface& interface : host.facts.interfaces) {
    if (leads_outside(interface, host.facts.interfaces) || carries(interface, host.named_address))
      likely.push_back(interface);
  }
  return candidate_addresses(likely).empty() ? host.facts.interfaces : likely;
}

std::string own_setting(const ConfigurationFacts& configuration) {
  const auto set = configuration.environment.find(kSocketIfname);
  if (set != configuration.environment.end()) return set->first + "=" + set->second;
  for (const auto& [file, settings] : configuration.nccl_files) {
    const auto in_file = settings.find(kSocketIfname);
    if (in_file != settings.end()) return in_file->first + "=" + in_file->second + " of " + file;
  }
  return {};
}

std::string socket_ifname(const HostNetwork& network) {
  std::string value;
  for (const std::string& name : network.interfaces) value += (value.empty() ? "=" : ",") + name;
  return value;
}

bool needs_explanation(const std::vector<JobHost>& hosts, const ReachMatrix& matrix, const NetworkChoice& choice) {
  if (!choice.complete()) return true;
  if (std::any_of(hosts.begin(), hosts.end(),
                  [](const JobHost& host) { return !own_setting(host.facts.configuration).empty(); })) {
    return true;
  }
  return std::any_of(matrix.begin(), matrix.end(), [&](const Link& link) {
    return link.mtu_passed < link.mtu_tried &&
           choice.hosts.at(static_cast<std::size_t>(link.to)).address == link.address;
  });
}

Findings network_faults(const std::vector<JobHost>& hosts, const ReachMatrix& matrix, const NetworkChoice& choice) {
  Situation situation;
  for (std::size_t i = 0; i < hosts.size(); ++i) situation.hosts.push_back(view_of(hosts[i], choice.hosts.at(i)));
  situation.reach = matrix;
  situation.network = choice;
  situation.transport = Transport::nccl;
  situation.is_worker = true;
  situation.program = "worker";
  return about_the_network(find_faults(situation));
}

Findings own_network_faults(const HostFacts& facts) {
  Situation situation;
  const JobHost host{facts, {}, 1};
  situation.hosts.push_back(view_of(host, {}));
  situation.network = choose_network({{facts.interfaces, {}, {}, {}}}, {});
  situation.transport = Transport::mpi;
  situation.is_worker = true;
  situation.program = "worker";
  return about_the_network(find_faults(situation));
}

std::vector<std::string> describe(const std::vector<JobHost>& hosts, const NetworkChoice& choice) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const HostNetwork& network = choice.hosts.at(i);
    const std::string kept = own_setting(hosts[i].facts.configuration);
    std::string line = "Network: " + short_name(hosts[i].facts);
    if (!kept.empty()) {
      line += " keeps " + kept;
    } else if (network.interfaces.empty()) {
      line += " is left to NCCL's own choice, since not every host reaches one address of it";
    } else {
      line += " uses " + network.interfaces.front() + " " + network.address;
      for (std::size_t more = 1; more < network.interfaces.size(); ++more) line += ", " + network.interfaces[more];
      line += " for NCCL";
    }
    lines.push_back(line);
  }
  return lines;
}

std::string text_of(const Findings& findings) {
  std::ostringstream printed;
  print(printed, findings);
  std::istringstream lines(printed.str());
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += (line.empty() || line.front() == ' ' ? "" : "worker: ") + line + '\n';
  }
  return text;
}

}  // namespace ringrun::worker
