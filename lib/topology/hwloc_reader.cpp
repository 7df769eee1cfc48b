#include "lib/topology/hwloc_reader.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "lib/error.hpp"
#include "lib/unique_handle.hpp"

namespace ringrun {
namespace {

struct TopologyTraits {
  using Handle = hwloc_topology_t;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle topology) noexcept { hwloc_topology_destroy(topology); }
};
using Topology = UniqueHandle<TopologyTraits>;

Topology make_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw SystemError("hwloc_topology_init", std::strerror(errno), errno);
  Topology topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  // These start GPU drivers to name their devices, which takes up to seconds; bus ids are all that is used.
  for (const char* component : {"cuda", "nvml", "opencl", "rsmi", "levelzero", "gl"}) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  return topology;
}

std::vector<int> numbers(hwloc_const_bitmap_t set) {
  std::vector<int> result;
  for (int i = hwloc_bitmap_first(set); i >= 0; i = hwloc_bitmap_next(set, i)) result.push_back(i);
  return result;
}

std::vector<NumaNode> read_numa_nodes(hwloc_topology_t topology) {
  std::vector<NumaNode> nodes;
  hwloc_bitmap_t seen = hwloc_bitmap_alloc();
  for (hwloc_obj_t numa = nullptr;
       (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
    NumaNode node{static_cast<int>(numa->os_index), {}};
    for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_CORE, core)) != nullptr;) {
      // Fast memory is a second node over the same cores: they belong to the first.
      if (!hwloc_bitmap_isincluded(core->cpuset, numa->cpuset) || hwloc_bitmap_intersects(core->cpuset, seen)) continue;
      node.cores.push_back({numbers(core->cpuset)});
    }
    for (const Core& core : node.cores) {
      for (int cpu : core.cpus) hwloc_bitmap_set(seen, static_cast<unsigned>(cpu));
    }
    if (!node.cores.empty()) nodes.push_back(std::move(node));
  }
  if (nodes.empty()) {
    // Some virtual machines name neither cores nor memory nodes: every processor is a core of one node.
    NumaNode node;
    for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
      node.cores.push_back({{static_cast<int>(pu->os_index)}});
    }
    nodes.push_back(std::move(node));
  }
  hwloc_bitmap_free(seen);
  return nodes;
}

std::vector<PciDevice> read_devices(hwloc_topology_t topology, const std::vector<NumaNode>& nodes) {
  constexpr int kDisplayClass = 0x03;
  constexpr int kNetworkClass = 0x02;
  std::vector<PciDevice> devices;
  for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology, pci)) != nullptr;) {
    const auto& attributes = pci->attr->pcidev;
    const int kind = attributes.class_id >> 8;
    if (kind != kDisplayClass && kind != kNetworkClass) continue;
    char bus_id[32];
    std::snprintf(bus_id, sizeof bus_id, "%04x:%02x:%02x.%01x", static_cast<unsigned>(attributes.domain),
                  attributes.bus, attributes.dev, attributes.func);
    PciDevice device{bus_id, kind == kNetworkClass, {}};
    const hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, pci);
    for (const NumaNode& node : nodes) {
      if (place->nodeset != nullptr && hwloc_bitmap_isset(place->nodeset, static_cast<unsigned>(node.index))) {
        device.numa_nodes.push_back(node.index);
      }
    }
    devices.push_back(std::move(device));
  }
  std::sort(devices.begin(), devices.end(), [](const auto& a, const auto& b) { return a.bus_id < b.bus_id; });
  return devices;
}

Machine to_machine(hwloc_topology_t topology) {
  Machine machine;
  machine.numa_nodes = read_numa_nodes(topology);
  machine.devices = read_devices(topology, machine.numa_nodes);
  return machine;
}

}  // namespace

Machine read_machine() {
  const Topology topology = make_topology();
  hwloc_topology_set_flags(topology.get(),
                           HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  if (hwloc_topology_load(topology.get()) != 0) throw SystemError("hwloc_topology_load", std::strerror(errno), errno);
  return to_machine(topology.get());
}

Machine read_machine_xml(const std::string& path) {
  const Topology topology = make_topology();
  if (hwloc_topology_set_xml(topology.get(), path.c_str()) != 0 || hwloc_topology_load(topology.get()) != 0) {
    throw UserError(path + " is not a topology that hwloc can read", "save one with: lstopo --of xml FILE");
  }
  return to_machine(topology.get());
}

Machine read_machine_synthetic(const std::string& description) {
  const Topology topology = make_topology();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    throw UserError("'" + description + "' is not a topology in hwloc's short form", "for example: numa:2 core:4 pu:2");
  }
  return to_machine(topology.get());
}

}  // namespace ringrun
