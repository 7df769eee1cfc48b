#include "lib/explain/host_queries.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "lib/net/interface.hpp"

namespace ringrun {

std::vector<const HostView*> answering_hosts(const Situation& situation) {
  std::vector<const HostView*> hosts;
  for (const HostView& host : situation.hosts) {
    if (host.fault == AgentFault::none) hosts.push_back(&host);
  }
  return hosts;
}

std::vector<const HostView*> rank_hosts(const Situation& situation) {
  std::vector<const HostView*> hosts = answering_hosts(situation);
  hosts.erase(std::remove_if(hosts.begin(), hosts.end(), [](const HostView* host) { return host->launches_only; }),
              hosts.end());
  return hosts;
}

bool uses_nccl(const Situation& situation) { return situation.transport == Transport::nccl; }

Severity if_nccl_breaks(const Situation& situation, Severity severity) {
  const bool sure = situation.is_worker || !situation.transport_guessed;
  return sure ? severity : std::min(severity, Severity::warning);
}

bool is_needed(const Situation& situation, const Link& link) {
  const auto from = static_cast<std::size_t>(link.from);
  const auto to = static_cast<std::size_t>(link.to);
  if (std::max(from, to) >= situation.hosts.size() || from == to) return false;
  const HostView& caller = situation.hosts[from];
  const HostView& called = situation.hosts[to];
  if (caller.fault != AgentFault::none || called.fault != AgentFault::none || caller.launches_only) return false;
  const bool same = !caller.facts.identity.empty() && caller.facts.identity == called.facts.identity;
  return !same && (!called.launches_only || called.local);
}

bool is_refused_at_once(const Link& link) {
  const bool rejected = was_rejected(link);
  return !link.attempts.empty() && std::all_of(link.attempts.begin(), link.attempts.end(), [&](const Attempt& attempt) {
    return attempt.outcome == Outcome::reached || attempt.outcome == Outcome::refused ||
           (attempt.outcome == Outcome::no_host && attempt.milliseconds < 1000) ||
           (rejected && attempt.outcome == Outcome::dropped);
  });
}

std::optional<bool> is_reached(const Situation& situation, std::size_t place, const std::string& address, bool by_mpi) {
  std::optional<bool> reached;
  for (const Link& link : situation.reach) {
    if (static_cast<std::size_t>(link.to) != place || link.address != address || !is_needed(situation, link)) continue;
    if (is_good(link)) {
      reached = true;
      continue;
    }
    const auto back = links_between(situation.reach, link.to, link.from);
    const bool one_way = std::any_of(back.begin(), back.end(), [](const Link* other) { return is_good(*other); });
    // A bridge's address is refused by this host itself, so that the way back of another address is no excuse.
    const Interface* interface = find_address(situation.hosts[place].facts.interfaces, address);
    const bool outside = interface != nullptr && leads_outside(situation.hosts[place], *interface);
    if (!by_mpi || !one_way || !outside || !is_refused_at_once(link)) return false;
  }
  return reached;
}

bool leads_outside(const HostView& host, const Interface& interface) {
  return leads_outside(interface, host.facts.interfaces, host.address);
}

bool needs_mpi(const Situation& situation) { return situation.transport == Transport::mpi || situation.is_worker; }

bool owns(const HostView& host, const std::string& ip) {
  // Every host answers to all of 127/8, though lo carries one address of it.
  return ip.rfind("127.", 0) == 0 || find_address(host.facts.interfaces, ip) != nullptr;
}

bool in_container_pool(const std::string& ip) {
  return contains({"172.16.0.0", 12}, ip) || contains({"10.88.0.0", 15}, ip);
}

bool is_bridge_container(const HostFacts& facts) {
  if (facts.system.container_marks.empty()) return false;
  const Interface* only = nullptr;
  for (const Interface& interface : facts.interfaces) {
    // An idle tunnel device (tunl0, sit0) is in every network namespace and has no address.
    if (interface.kind == InterfaceKind::loopback || (!interface.up && interface.ipv4.empty())) continue;
    if (only != nullptr) return false;
    only = &interface;
  }
  if (only == nullptr || !only->pci_bus_id.empty() || only->ipv4.empty()) return false;
  const bool veth = only->kind == InterfaceKind::veth || only->driver == "veth";
  return veth && in_container_pool(only->ipv4.front().ip);
}

std::string own_address(const HostFacts& facts) {
  for (const Interface& interface : facts.interfaces) {
    if (interface.up && interface.kind != InterfaceKind::loopback && !interface.ipv4.empty()) {
      return interface.ipv4.front().ip;
    }
  }
  return {};
}

std::optional<Setting> nccl_setting(const HostView& host, const std::string& name) {
  if (const auto value = rank_variable(host, name)) return Setting{*value, "the environment", false};
  // "~/.nccl.conf" is read first, and what is set stays; std::map would give /etc first.
  const auto& files = host.facts.configuration.nccl_files;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    if (const auto found = file->second.find(name); found != file->second.end()) {
      return Setting{found->second, file->first, true};
    }
  }
  return std::nullopt;
}

std::optional<Setting> mca_setting(const Situation& situation, const HostView& host, const std::string& name) {
  for (const auto& [parameter, value] : situation.parameters) {
    if (parameter == name) return Setting{value, "the command line", false};
  }
  const std::string variable = "OMPI_MCA_" + name;
  const auto& launcher = situation.launcher_environment;
  if (const auto found = launcher.find(variable); found != launcher.end()) {
    return Setting{found->second, "the environment", false};
  }
  if (const auto value = rank_variable(host, variable)) return Setting{*value, "the environment", false};
  for (const auto& [file, settings] : host.facts.configuration.mca_files) {
    if (const auto found = settings.find(name); found != settings.end()) return Setting{found->second, file, true};
  }
  return std::nullopt;
}

std::vector<std::string> split(std::string_view list, char separator) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(separator), list.size());
    if (end > 0) parts.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

int compare_versions(std::string_view a, std::string_view b, int parts) {
  const std::vector<std::string> left = split(a, '.');
  const std::vector<std::string> right = split(b, '.');
  const auto number = [](const std::vector<std::string>& version, int part) {
    int value = 0;
    if (static_cast<std::size_t>(part) < version.size()) {
      const std::string& text = version[static_cast<std::size_t>(part)];
      std::from_chars(text.data(), text.data() + text.size(), value);
    }
    return value;
  };
  for (int part = 0; part < parts; ++part) {
    if (const int difference = number(left, part) - number(right, part); difference != 0) return difference;
  }
  return 0;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

bool contains_word(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

}  // namespace ringrun
