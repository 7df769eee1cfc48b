#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lib/host/host_facts.hpp"
#include "lib/net/interface.hpp"

namespace ringrun::worker {

/// Bytes that each of a host's ports has carried, by its name ("eth0", "mlx5_0"), in the direction that carried more.
using PortCounters = std::map<std::string, double>;

/// Of this network namespace's interfaces, but loopback, and of the InfiniBand and RoCE cards, which RDMA passes by the
/// kernel's interfaces on.
PortCounters read_port_counters(const std::filesystem::path& root = "/");

/// A port that carried the data of an operation.
struct Port {
  std::string name;
  double bandwidth = 0;  ///< bytes a second each way that it can carry of the data itself; 0: it does not say its rate
  std::string rate;      ///< in words: "10 Gb/s, TCP at MTU 1500"
  bool nominal = false;  ///< a virtual card: its rate is a word and no wire's
  bool operator==(const Port&) const = default;
};

/// The ports that carried most of what passed between the two readings, those nearest to the wire where the same bytes
/// were counted twice (a bond and its cards, a VLAN and its card). None where not even half of `least_bytes` was seen.
std::vector<Port> ports_in_use(const PortCounters& before, const PortCounters& after, double least_bytes,
                               const std::vector<Interface>& interfaces, const FabricFacts& fabric);

}  // namespace ringrun::worker
