#include "launcher/preflight/port_shares.hpp"

#include <algorithm>

namespace ringrun {

PortShares share_ports(const PortRange& ports) {
  const int few = std::min((ports.last - ports.first + 1) / 4, 10);
  return {
      {ports.first, ports.first + few - 1}, {ports.first + few, ports.last - few}, {ports.last - few + 1, ports.last}};
}

PortRange daemon_ports(const PortRange& ports, const std::function<bool(int)>& is_usable, int start) {
  constexpr int kPorts = 2;
  const PortRange share = share_ports(ports).daemons;
  const int parts = (share.last - share.first + 1) / kPorts;
  for (int i = 0; i < parts; ++i) {
    const int first = share.first + (start + i) % parts * kPorts;
    if (is_usable(first) && is_usable(first + 1)) return {first, first + kPorts - 1};
  }
  return share;
}

int ports_for(int ranks) {
  int ports = 16;
  for (;; ++ports) {
    const PortRange part = share_ports({1, ports}).ranks;
    if (part.last - part.first + 1 >= ranks) return ports;
  }
}

}  // namespace ringrun
