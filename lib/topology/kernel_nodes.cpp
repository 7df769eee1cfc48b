#include "lib/topology/kernel_nodes.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "lib/topology/hwloc_cards.hpp"

namespace ringrun {

bool KernelNodes::has_card(int node) const {
  return std::any_of(of_cards.begin(), of_cards.end(), [&](const auto& card) { return card.second == node; });
}

KernelNodes read_kernel_nodes(hwloc_topology* topology) {
  // hwloc's own variable: where it finds /sys.
  const char* root = std::getenv("HWLOC_FSROOT");
  const std::string sys = std::string(root == nullptr ? "" : root) + "/sys/";
  KernelNodes nodes;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
    if (hwloc_bitmap_weight(hwloc_get_non_io_ancestor_obj(topology, device)->nodeset) < 2) continue;
    const std::string bus_id = pci_bus_id(device);
    int node = -1;
    std::ifstream(sys + "bus/pci/devices/" + bus_id + "/numa_node") >> node;
    if (node >= 0) nodes.of_cards[bus_id] = node;
  }
  for (hwloc_obj_t numa = nullptr;
       (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
    std::ifstream file(sys + "devices/system/node/node" + std::to_string(numa->os_index) + "/cpulist");
    std::string cpus;
    if (std::getline(file, cpus) && cpus.empty()) nodes.without_cpus.insert(static_cast<int>(numa->os_index));
  }
  return nodes;
}

}  // namespace ringrun
