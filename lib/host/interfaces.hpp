#pragma once

#include <vector>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// Every IPv4 address of this host, in the kernel's order. Throws SystemError.
std::vector<Interface> read_interfaces();

/// False for the names of bridges and of their ends that container engines and hypervisors make on a host: other hosts
/// cannot reach their addresses.
bool leads_outside(const Interface& interface);

}  // namespace ringrun
