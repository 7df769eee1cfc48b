#include "launcher/preflight/port_shares.hpp"

#include <algorithm>

namespace ringrun {

PortShares share_ports(const PortRange& ports) {
  const int few = std::min((ports.last - ports.first + 1) / 4, 10);
  return {
      {ports.first, ports.first + few - 1}, {ports.first + few, ports.last - few}, {ports.last - few + 1, ports.last}};
}

int ports_for(int ranks) {
  int ports = 16;
  for (;; ++ports) {
    const PortRange part = share_ports({1, ports}).ranks;
    if (part.last - part.first + 1 >= ranks) return ports;
  }
}

}  // namespace ringrun
