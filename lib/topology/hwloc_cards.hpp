#pragma once

#include "lib/topology/machine.hpp"

struct hwloc_topology;

namespace ringrun {

/// The GPUs and network cards of a topology of hwloc's, put into the machine, whose nodes are there already.
void read_hwloc_cards(hwloc_topology* topology, Machine& machine);

}  // namespace ringrun
