#pragma once

#include <map>
#include <string>

#include "lib/topology/machine.hpp"

struct hwloc_obj;
struct hwloc_topology;

namespace ringrun {

/// "0000:4e:00.0" of a PCI device of hwloc's.
std::string pci_bus_id(const hwloc_obj* device);

/// The GPUs and network cards of a topology of hwloc's, put into the machine, whose nodes are there already. `nodes`
/// are those of devices, by bus id, where somebody knows better than hwloc.
void read_hwloc_cards(hwloc_topology* topology, const std::map<std::string, int>& nodes, Machine& machine);

}  // namespace ringrun
