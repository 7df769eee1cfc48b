#include "lib/net/network_choice.hpp"

#include <algorithm>
#include <climits>
#include <tuple>

namespace ringrun {
namespace {

/// An interface of one host on its way through the choice.
struct Candidate {
  const Interface* interface = nullptr;
  /// At least one peer tried it (and none failed).
  bool proven = false;
  bool outside = false;
  bool named = false;
  /// Bus numbers between the card and the nearest GPU, INT_MAX where it is on no bus with one.
  int distance = INT_MAX;
};

const InterfaceAddress& first_address(const Interface& interface) { return interface.ipv4.front(); }

/// What can be addressed at all. Loopback only where there is nothing else, not even a card that is down.
std::vector<const Interface*> carriers(const std::vector<Interface>& interfaces) {
  std::vector<const Interface*> outer;
  std::vector<const Interface*> loopback;
  for (const Interface& interface : interfaces) {
    if (!interface.up || interface.ipv4.empty()) continue;
    (interface.kind == InterfaceKind::loopback ? loopback : outer).push_back(&interface);
  }
  const bool alone = std::all_of(interfaces.begin(), interfaces.end(),
                                 [](const Interface& interface) { return interface.kind == InterfaceKind::loopback; });
  return alone ? loopback : outer;
}

int distance_to_gpus(const Interface& interface, const std::vector<std::string>& gpu_bus_ids) {
  const auto card = read_pci_address(interface.pci_bus_id);
  int distance = INT_MAX;
  for (const std::string& bus_id : gpu_bus_ids) {
    const auto gpu = read_pci_address(bus_id);
    if (!card || !gpu || card->domain != gpu->domain) continue;
    distance = std::min(distance, std::abs(static_cast<int>(card->bus) - static_cast<int>(gpu->bus)));
  }
  return distance;
}

/// What the matrix says of an address: whether somebody tried it, and whether somebody failed.
struct Verdict {
  bool tried = false;
  bool failed = false;
};

/// `links` are those that lead to the host.
Verdict verdict_on(const std::vector<const Link*>& links, const std::string& address) {
  Verdict verdict;
  for (const Link* link : links) {
    if (link->address != address || link->attempts.empty()) continue;
    verdict.tried = true;
    verdict.failed = verdict.failed || !is_good(*link);
  }
  return verdict;
}

/// The interfaces of a host that no peer failed to reach, best first.
std::vector<Candidate> candidates_of(const NetworkHost& host, const std::vector<const Link*>& links) {
  std::vector<Candidate> candidates;
  for (const Interface* carrier : carriers(host.interfaces)) {
    const Interface& interface = *carrier;
    const Verdict verdict = verdict_on(links, first_address(interface).ip);
    if (verdict.failed) continue;
    const bool outside = leads_outside(interface, host.interfaces, host.named_address);
    candidates.push_back({&interface, verdict.tried, outside && interface.kind != InterfaceKind::tun,
                          !host.named_address.empty() && find_address({interface}, host.named_address) != nullptr,
                          distance_to_gpus(interface, host.gpu_bus_ids)});
  }
  std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& one, const Candidate& other) {
    const auto merit = [](const Candidate& candidate) {
      return std::tuple(!candidate.proven, !candidate.outside, !candidate.named, -candidate.interface->speed,
                        candidate.distance);
    };
    return merit(one) < merit(other);
  });
  return candidates;
}

/// The best candidates that may work side by side. Without proof the first stands alone: a second one might be a
/// private network. With proof, the fastest kind is kept, since a slow card beside fast ones holds them up.
std::vector<const Interface*> side_by_side(const std::vector<Candidate>& candidates) {
  if (candidates.empty()) return {};
  const Candidate& best = candidates.front();
  if (!best.proven) return {best.interface};
  const auto alike = [&](const Candidate& candidate) { return candidate.proven && candidate.outside == best.outside; };
  int fastest = -1;
  for (const Candidate& candidate : candidates) {
    if (alike(candidate)) fastest = std::max(fastest, candidate.interface->speed);
  }
  std::vector<const Interface*> kept;
  std::vector<std::string> networks;
  for (const Candidate& candidate : candidates) {
    const std::string network = network_of(first_address(*candidate.interface));
    if (!alike(candidate) || candidate.interface->speed != fastest ||
        std::find(networks.begin(), networks.end(), network) != networks.end()) {
      continue;
    }
    networks.push_back(network);
    kept.push_back(candidate.interface);
  }
  return kept;
}

std::vector<const Interface*> interfaces_of(const NetworkHost& host, const std::vector<const Link*>& links) {
  for (const Interface& interface : host.interfaces) {
    if (!host.wanted.empty() && interface.name == host.wanted && !interface.ipv4.empty()) return {&interface};
  }
  return side_by_side(candidates_of(host, links));
}

}  // namespace

bool NetworkChoice::complete() const {
  return std::none_of(hosts.begin(), hosts.end(), [](const HostNetwork& host) { return host.interfaces.empty(); });
}

std::vector<std::string> NetworkChoice::networks() const {
  std::vector<std::string> all;
  for (const HostNetwork& host : hosts) {
    for (const std::string& network : host.networks) {
      if (std::find(all.begin(), all.end(), network) == all.end()) all.push_back(network);
    }
  }
  return all;
}

std::vector<std::string> candidate_addresses(const std::vector<Interface>& interfaces) {
  std::vector<const Interface*> usable = carriers(interfaces);
  const auto merit = [&](const Interface& interface) {
    return std::tuple(!leads_outside(interface, interfaces), -interface.speed);
  };
  std::stable_sort(usable.begin(), usable.end(),
                   [&](const Interface* one, const Interface* other) { return merit(*one) < merit(*other); });
  std::vector<std::string> addresses;
  for (const Interface* interface : usable) {
    const std::string& ip = first_address(*interface).ip;
    if (std::find(addresses.begin(), addresses.end(), ip) == addresses.end()) addresses.push_back(ip);
  }
  return addresses;
}

NetworkChoice choose_network(const std::vector<NetworkHost>& hosts, const ReachMatrix& matrix) {
  std::vector<std::vector<const Link*>> links(hosts.size());
  for (const Link& link : matrix) {
    if (link.to >= 0 && static_cast<std::size_t>(link.to) < hosts.size() && link.from != link.to) {
      links[static_cast<std::size_t>(link.to)].push_back(&link);
    }
  }
  NetworkChoice choice;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    HostNetwork network;
    for (const Interface* interface : interfaces_of(hosts[i], links[i])) {
      network.interfaces.push_back(interface->name);
      network.networks.push_back(network_of(first_address(*interface)));
      if (network.address.empty()) network.address = first_address(*interface).ip;
    }
    choice.hosts.push_back(std::move(network));
  }
  return choice;
}

}  // namespace ringrun
