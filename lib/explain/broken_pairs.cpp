#include "lib/explain/broken_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "lib/explain/host_queries.hpp"

namespace ringrun {
namespace {

using Hosts = std::pair<std::size_t, std::size_t>;
using Directions = std::map<Hosts, std::vector<const Link*>>;

/// A refusal that took longer was no refusal but a search for the host.
constexpr int kAtOnceMilliseconds = 1000;

bool attempted(const Link& link, Outcome outcome) {
  return std::any_of(link.attempts.begin(), link.attempts.end(),
                     [&](const Attempt& attempt) { return attempt.outcome == outcome; });
}

bool is_partial(const Link& link) { return !is_good(link) && attempted(link, Outcome::reached); }

Directions needed_directions(const Situation& situation) {
  Directions directions;
  for (const Link& link : situation.reach) {
    if (!is_needed(situation, link)) continue;
    directions[{static_cast<std::size_t>(link.from), static_cast<std::size_t>(link.to)}].push_back(&link);
  }
  return directions;
}

/// How much a broken way tells about why: the named address, and addresses that both hosts have a network for.
int weight(const Situation& situation, const Hosts& hosts, const Link& link) {
  const HostView& to = situation.hosts[hosts.second];
  const Interface* interface = find_address(to.facts.interfaces, link.address);
  const bool outside = interface != nullptr && leads_outside(to, *interface);
  return (is_partial(link) ? 8 : 0) + (link.address == to.address ? 4 : 0) + (outside ? 2 : 0) +
         (outcome_of(link) != Outcome::no_route ? 1 : 0);
}

/// The chosen address decides where there is one; else the direction works where any address does.
std::vector<const Link*> broken_links(const Situation& situation, const Hosts& hosts, std::vector<const Link*> links) {
  if (hosts.second < situation.network.hosts.size()) {
    const std::string& chosen = situation.network.hosts[hosts.second].address;
    if (!chosen.empty()) {
      const auto link =
          std::find_if(links.begin(), links.end(), [&](const Link* tried) { return tried->address == chosen; });
      if (link == links.end() || is_good(**link)) return {};
      return {*link};
    }
  }
  if (std::any_of(links.begin(), links.end(), [](const Link* link) { return is_good(*link); })) return {};
  std::stable_sort(links.begin(), links.end(), [&](const Link* a, const Link* b) {
    return weight(situation, hosts, *a) > weight(situation, hosts, *b);
  });
  return links;
}

/// The host's connections arrive elsewhere under an address that it does not have, or it is named by one.
bool is_translated(const Situation& situation, const Directions& all, const Hosts& hosts) {
  const HostView& to = situation.hosts[hosts.second];
  if (!to.address.empty() && !owns(to, to.address)) return true;
  const auto back = all.find({hosts.second, hosts.first});
  return back != all.end() && std::any_of(back->second.begin(), back->second.end(), [&](const Link* link) {
           return !link->seen_as.empty() && !owns(to, link->seen_as);
         });
}

bool has_good_way(const Directions& all, const Hosts& hosts) {
  const auto found = all.find(hosts);
  return found != all.end() &&
         std::any_of(found->second.begin(), found->second.end(), [](const Link* link) { return is_good(*link); });
}

/// Why `hosts.first` cannot connect to `hosts.second`, by what is known of the second.
std::string cause_of(const Situation& situation, const Directions& all, const Hosts& hosts, const Link& link) {
  const HostView& to = situation.hosts[hosts.second];
  const SystemFacts& system = to.facts.system;
  const bool misnamed = !to.address.empty() && !owns(to, to.address);
  if (is_bridge_container(to.facts)) return system.wsl ? "W2" : misnamed ? "C1b" : "C1";
  const bool desktop = system.wsl || contains_word(system.kernel, "linuxkit");
  if (desktop && !system.container_marks.empty() && misnamed) return "W12";
  const Outcome outcome = outcome_of(link);
  const bool filtered = outcome == Outcome::dropped || outcome == Outcome::refused || outcome == Outcome::no_host;
  if (system.wsl && system.wsl_networking == "mirrored" && filtered) return "W4";
  if (system.wsl && system.wsl_networking != "mirrored" && system.wsl_networking != "bridged") return "W1";
  if (is_translated(situation, all, hosts)) return "NAT";
  if (is_partial(link)) return "F2";
  if (filtered) return "F1";
  const bool one_way = outcome == Outcome::no_route && has_good_way(all, {hosts.second, hosts.first});
  return one_way ? "NAT" : "NET";
}

/// Where two causes meet in a pair, the earlier one explains more.
std::size_t rank_of(std::string_view cause) {
  constexpr std::array<std::string_view, 11> kOrder = {"W12", "W2", "C1b", "C1", "W1", "W4",
                                                       "NAT", "F2", "F3",  "F1", "NET"};
  return static_cast<std::size_t>(std::find(kOrder.begin(), kOrder.end(), cause) - kOrder.begin());
}

BrokenPairs classify(const Situation& situation, const Directions& all, std::vector<BrokenDirection> broken) {
  BrokenPairs pair;
  const bool one_way = broken.size() == 1;
  for (const BrokenDirection& direction : broken) {
    std::string cause = cause_of(situation, all, {direction.from, direction.to}, *direction.links.front());
    if (cause == "F1" && one_way && situation.hosts[direction.to].local) cause = "F3";
    if (pair.id.empty() || rank_of(cause) < rank_of(pair.id)) {
      pair.hosts.clear();
      pair.id = cause;
    }
    if (cause == pair.id) pair.hosts.push_back(direction.to);
  }
  std::sort(pair.hosts.begin(), pair.hosts.end());
  const bool firewall = pair.id == "F1" || pair.id == "F2";
  const bool home = one_way && situation.hosts[broken.front().to].local;
  // NCCL connects both ways; where it is a guess that it is used at all, one way may do.
  const bool both_ways = uses_nccl(situation) && if_nccl_breaks(situation) == Severity::error;
  const bool enough = !both_ways && firewall && one_way && !home && is_refused_at_once(*broken.front().links.front());
  pair.severity = enough ? Severity::warning : Severity::error;
  pair.directions = std::move(broken);
  return pair;
}

/// Where both hosts of a pair are suspect alike, the one with more broken pairs has the cause.
void settle_hosts(std::vector<BrokenPairs>& pairs) {
  std::map<std::size_t, int> count;
  for (const BrokenPairs& pair : pairs) {
    for (const std::size_t host : std::set<std::size_t>{pair.directions[0].from, pair.directions[0].to}) ++count[host];
  }
  for (BrokenPairs& pair : pairs) {
    if (pair.hosts.size() != 2 || pair.id[0] != 'F') continue;
    const int difference = count[pair.hosts[0]] - count[pair.hosts[1]];
    if (difference != 0) pair.hosts = {difference > 0 ? pair.hosts[0] : pair.hosts[1]};
  }
}

/// Hosts without an interface that all peers reach, though every pair has a way: no broken pair explains them.
void add_unexplained(const Situation& situation, std::vector<BrokenPairs>& pairs) {
  if (!pairs.empty() || rank_hosts(situation).size() < 2) return;
  const Severity severity = uses_nccl(situation) ? if_nccl_breaks(situation) : Severity::warning;
  BrokenPairs unexplained{"NET", severity, {}, {}};
  for (std::size_t host = 0; host < std::min(situation.hosts.size(), situation.network.hosts.size()); ++host) {
    const HostView& view = situation.hosts[host];
    if (view.fault != AgentFault::none || view.launches_only) continue;
    // A host without any address of its own is another fault (W6).
    if (situation.network.hosts[host].interfaces.empty() && !own_address(view.facts).empty()) {
      unexplained.hosts.push_back(host);
    }
  }
  if (!unexplained.hosts.empty()) pairs.push_back(std::move(unexplained));
}

std::string duration(int milliseconds) { return fmt::format("{:.2g} s", milliseconds / 1000.0); }

std::string words_of(Outcome outcome, const Attempt& attempt) {
  switch (outcome) {
    case Outcome::reached:
      return "reached";
    case Outcome::refused:
      return "connection refused";
    case Outcome::no_route:
      return "network is unreachable";
    case Outcome::no_host:
      return attempt.milliseconds < kAtOnceMilliseconds
                 ? "no route to host, at once"
                 : "no route to host after " + duration(attempt.milliseconds) + ", so nobody has that address there";
    case Outcome::dropped:
      return "nothing answered for " + duration(attempt.milliseconds);
    case Outcome::wrong_host:
      return "something else answered";
    case Outcome::failed:
      break;
  }
  return attempt.error != 0 ? std::strerror(attempt.error) : "failed";
}

std::string describe_link(const Link& link) {
  std::vector<std::string> parts;
  for (const Outcome outcome : {Outcome::reached, Outcome::refused, Outcome::no_route, Outcome::no_host,
                                Outcome::dropped, Outcome::wrong_host, Outcome::failed}) {
    std::vector<std::string> ports;
    const Attempt* shown = nullptr;
    for (const Attempt& attempt : link.attempts) {
      if (attempt.outcome != outcome) continue;
      ports.push_back(std::to_string(attempt.port));
      if (shown == nullptr || attempt.milliseconds > shown->milliseconds) shown = &attempt;
    }
    if (shown != nullptr) parts.push_back("port " + join(ports) + ": " + words_of(outcome, *shown));
  }
  return link.address + " " + (parts.empty() ? "could not be listened on" : join(parts, "; "));
}

}  // namespace

std::vector<BrokenPairs> find_broken_pairs(const Situation& situation) {
  const Directions all = needed_directions(situation);
  std::map<Hosts, std::vector<BrokenDirection>> broken;
  for (const auto& [hosts, links] : all) {
    // A host without a card is one fault (F7), not as many as it has peers.
    if (own_address(situation.hosts[hosts.first].facts).empty() ||
        own_address(situation.hosts[hosts.second].facts).empty())
      continue;
    std::vector<const Link*> failed = broken_links(situation, hosts, links);
    if (failed.empty()) continue;
    broken[std::minmax(hosts.first, hosts.second)].push_back({hosts.first, hosts.second, std::move(failed)});
  }
  std::vector<BrokenPairs> pairs;
  for (auto& [hosts, directions] : broken) pairs.push_back(classify(situation, all, std::move(directions)));
  settle_hosts(pairs);
  std::vector<BrokenPairs> merged;
  for (BrokenPairs& pair : pairs) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const BrokenPairs& other) {
      return other.id == pair.id && other.hosts == pair.hosts;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(pair));
      continue;
    }
    same->severity = std::max(same->severity, pair.severity);
    same->directions.insert(same->directions.end(), pair.directions.begin(), pair.directions.end());
  }
  if (!all.empty()) add_unexplained(situation, merged);
  return merged;
}

std::vector<BrokenPairs> broken_by(const Situation& situation, const std::string& id) {
  std::vector<BrokenPairs> pairs = find_broken_pairs(situation);
  pairs.erase(std::remove_if(pairs.begin(), pairs.end(), [&](const BrokenPairs& pair) { return pair.id != id; }),
              pairs.end());
  return pairs;
}

std::string describe(const Situation& situation, const BrokenPairs& broken) {
  constexpr std::size_t kShown = 4;
  constexpr std::size_t kAddresses = 3;
  std::vector<std::string> lines;
  for (const BrokenDirection& direction : broken.directions) {
    if (lines.size() == kShown) {
      lines.push_back(fmt::format("and {} more such directions", broken.directions.size() - kShown));
      break;
    }
    std::vector<std::string> ways;
    for (std::size_t i = 0; i < std::min(kAddresses, direction.links.size()); ++i) {
      ways.push_back(describe_link(*direction.links[i]));
    }
    lines.push_back(situation.hosts[direction.from].name + " cannot connect to " + situation.hosts[direction.to].name +
                    ": " + join(ways, "; "));
  }
  return join(lines, "\n");
}

std::vector<std::string> names_of(const Situation& situation, const BrokenPairs& broken) {
  std::vector<std::string> names;
  for (const std::size_t host : broken.hosts) names.push_back(situation.hosts[host].name);
  return names;
}

}  // namespace ringrun
