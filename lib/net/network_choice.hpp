#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/net/interface.hpp"
#include "lib/net/reachability.hpp"

namespace ringrun {

/// What is known of a host when its network is chosen.
struct NetworkHost {
  std::vector<Interface> interfaces;
  /// The numeric address by which the user or the resolver named it, "" where that is unknown.
  std::string named_address;
  /// The interface that the user asked for (`#: nic=`, `--nic`), "" for none.
  std::string wanted;
  /// PCI bus ids of the GPUs whose host bridge is near; the nearest card wins a tie. May be empty.
  std::vector<std::string> gpu_bus_ids;
};

/// A host's part of the choice.
struct HostNetwork {
  /// Names of the interfaces whose first IPv4 address every peer that tried reaches, on one network each, of the
  /// fastest kind there is, best first. Empty: no interface is reached by every peer.
  std::vector<std::string> interfaces;
  /// First IPv4 address of the first of them.
  std::string address;
  /// Their networks as CIDR, in the same order.
  std::vector<std::string> networks;
};

struct NetworkChoice {
  std::vector<HostNetwork> hosts;
  /// Every host has an interface that its peers reach.
  bool complete() const;
  /// Every network that is used, each once: what Open MPI's include parameters take.
  std::vector<std::string> networks() const;
};

/// The addresses on which a host shall be probed, best first: the first IPv4 address of every interface that is up
/// and not loopback. Loopback addresses only where there is no other. None for a host that has IPv6 alone: MPI and NCCL
/// find their own way there, and what would be tried here says nothing about it.
std::vector<std::string> candidate_addresses(const std::vector<Interface>& interfaces);

/// For each host the interfaces that every peer reaches. Preference: the user's own word; then interfaces that lead
/// outside before bridges and tunnels; then the one that carries the named address; then speed; then nearness to the
/// GPUs; then the kernel's order. A pair that was not probed counts as unknown, not as unreachable: an unknown
/// interface comes after every one that was reached, and stands alone. Among reached ones that lead outside, slower
/// cards than the fastest are left out even where they carry the named address. A wanted interface stands alone,
/// reached or not. Pure.
NetworkChoice choose_network(const std::vector<NetworkHost>& hosts, const ReachMatrix& matrix);

}  // namespace ringrun
