#include "launcher/preflight/port_shares.hpp"

#include <algorithm>

namespace ringrun {

PortShares share_ports(const PortRange& ports) {
  const int few = std::min((ports.last - ports.first + 1) / 4, 10);
  return {
      {ports.first, ports.first + few - 1}, {ports.first + few, ports.last - few}, {ports.last - few + 1, ports.last}};
}

}  // namespace ringrun
