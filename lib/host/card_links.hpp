#pragma once

#include <vector>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// Tells the cards of a machine what the kernel says of their links: state and speed.
void take_links(const std::vector<Interface>& interfaces, const FabricFacts& fabric, Machine& machine);

}  // namespace ringrun
