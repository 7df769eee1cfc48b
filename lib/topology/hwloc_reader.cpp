#include "lib/topology/hwloc_reader.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

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

struct BitmapTraits {
  using Handle = hwloc_bitmap_t;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle bitmap) noexcept { hwloc_bitmap_free(bitmap); }
};
using Bitmap = UniqueHandle<BitmapTraits>;

Topology make_topology(unsigned long flags = 0, bool cards = true) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw SystemError("hwloc_topology_init", std::strerror(errno), errno);
  Topology topology(raw);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  // hwloc takes cards away with the cores that they hang on: all are read, and what may not be used is left out below.
  hwloc_topology_set_flags(raw, flags | HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  // These start GPU drivers to name their devices, which takes up to seconds; bus ids are all that is used.
  // "pci" finds through libpciaccess, which leaks, what hwloc's own reading of /sys finds too.
  for (const char* component : {"pci", "cuda", "nvml", "opencl", "rsmi", "levelzero", "gl"}) {
    hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  // Cards, and the caches: to learn these, every processor is visited.
  for (const char* component : {"linuxio", "x86"}) {
    if (!cards) hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, component);
  }
  return topology;
}

/// Every core with a processor in `all`, with those of its processors that are in `usable` too.
std::vector<Core> read_cores(hwloc_topology_t topology, hwloc_const_bitmap_t all, hwloc_const_bitmap_t usable) {
  std::vector<Core> cores;
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t pu = nullptr; (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
    if (!hwloc_bitmap_isset(all, pu->os_index) || !hwloc_bitmap_isset(usable, pu->os_index)) continue;
    // Some virtual machines name no cores: every processor is one.
    hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    if (core == nullptr) core = pu;
    if (core != last) cores.emplace_back();
    last = core;
    cores.back().cpus.push_back(static_cast<int>(pu->os_index));
  }
  return cores;
}

std::vector<hwloc_obj_t> numa_objects(hwloc_topology_t topology) {
  std::vector<hwloc_obj_t> objects;
  for (hwloc_obj_t numa = nullptr;
       (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
    objects.push_back(numa);
  }
  // Memory that is next to several nodes' cores (a GPU's, where its place is not known) comes after those nodes, and
  // HBM after the ordinary memory over the same cores, which has the lower number.
  std::sort(objects.begin(), objects.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
    return std::tuple(hwloc_bitmap_weight(a->cpuset), a->os_index) <
           std::tuple(hwloc_bitmap_weight(b->cpuset), b->os_index);
  });
  return objects;
}

std::vector<NumaNode> read_numa_nodes(hwloc_topology_t topology, hwloc_const_bitmap_t usable) {
  const std::vector<hwloc_obj_t> objects = numa_objects(topology);
  // A machine described by hand may not say how much memory there is: then each node has some.
  const bool sizes = std::any_of(objects.begin(), objects.end(),
                                 [](hwloc_obj_t numa) { return numa->attr->numanode.local_memory > 0; });
  const Bitmap free(hwloc_bitmap_dup(hwloc_get_root_obj(topology)->cpuset));
  std::vector<NumaNode> nodes;
  for (const hwloc_obj_t numa : objects) {
    const Bitmap own(hwloc_bitmap_alloc());
    hwloc_bitmap_and(own.get(), numa->cpuset, free.get());
    if (hwloc_bitmap_iszero(own.get())) continue;
    hwloc_bitmap_andnot(free.get(), free.get(), own.get());
    const hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, numa);
    NumaNode node;
    node.index = static_cast<int>(numa->os_index);
    if (package != nullptr) node.package = static_cast<int>(package->os_index);
    node.cores = read_cores(topology, own.get(), usable);
    node.memory = (!sizes || numa->attr->numanode.local_memory > 0) &&
                  hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), numa->os_index);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  if (!hwloc_bitmap_iszero(free.get())) {
    nodes.insert(nodes.begin(), {-1, -1, read_cores(topology, free.get(), usable), false});
  }
  return nodes;
}

std::vector<std::vector<int>> read_distances(hwloc_topology_t topology, const std::vector<NumaNode>& nodes) {
  unsigned count = 1;
  hwloc_distances_s* found = nullptr;
  if (hwloc_distances_get_by_name(topology, "NUMALatency", &count, &found, 0) != 0 || count == 0) return {};
  std::map<int, unsigned> place;
  for (unsigned i = 0; i < found->nbobjs; ++i) place[static_cast<int>(found->objs[i]->os_index)] = i;
  std::vector<std::vector<int>> distances;
  for (const NumaNode& from : nodes) {
    std::vector<int> row;
    for (const NumaNode& to : nodes) {
      if (place.count(from.index) == 0 || place.count(to.index) == 0) break;
      row.push_back(static_cast<int>(found->values[place[from.index] * found->nbobjs + place[to.index]]));
    }
    distances.push_back(std::move(row));
  }
  hwloc_distances_release(topology, found);
  return distances;
}

/// Places of devices; numbers the bridges as they are met.
class Places {
 public:
  Places(hwloc_topology_t topology, const std::vector<NumaNode>& nodes) : topology_(topology), nodes_(nodes) {}

  CardPlace of(hwloc_obj_t device) {
    CardPlace place;
    for (hwloc_obj_t above = device; above != nullptr && hwloc_obj_type_is_io(above->type); above = above->parent) {
      if (above->type == HWLOC_OBJ_PCI_DEVICE && place.bus_id.empty()) place.bus_id = bus_id(above->attr->pcidev);
      if (above->type == HWLOC_OBJ_BRIDGE) {
        place.bridges.push_back(bridges_.try_emplace(above, static_cast<int>(bridges_.size())).first->second);
      }
    }
    std::reverse(place.bridges.begin(), place.bridges.end());
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology_, device);
    for (const NumaNode& node : nodes_) {
      if (node.index >= 0 && hwloc_bitmap_isset(near->nodeset, static_cast<unsigned>(node.index))) {
        place.numa_nodes.push_back(node.index);
      }
    }
    return place;
  }

 private:
  static std::string bus_id(const hwloc_obj_attr_u::hwloc_pcidev_attr_s& pci) {
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%01x", static_cast<unsigned>(pci.domain), pci.bus, pci.dev,
                  pci.func);
    return text;
  }

  hwloc_topology_t topology_;
  const std::vector<NumaNode>& nodes_;
  std::map<hwloc_obj_t, int> bridges_;
};

std::string info(hwloc_obj_t object, const char* name) {
  const char* value = hwloc_obj_get_info_by_name(object, name);
  return value == nullptr ? "" : value;
}

bool begins(const hwloc_obj_t& device, std::string_view with) {
  return device->name != nullptr && std::string_view(device->name).substr(0, with.size()) == with;
}

/// What the drivers said of a GPU when the machine was saved.
void take_names(hwloc_obj_t device, MachineGpu& gpu) {
  if (std::string model = info(device, "GPUModel"); !model.empty()) gpu.name = std::move(model);
  // Zeros stand where somebody took the serial numbers out.
  const std::string uuid = info(device, "NVIDIAUUID");
  if (uuid.find_first_not_of("GPU-0") != std::string::npos) gpu.uuid = uuid;
}

std::vector<MachineGpu> read_gpus(hwloc_topology_t topology, Places& places) {
  constexpr unsigned kNvidia = 0x10de;
  std::vector<MachineGpu> gpus;
  for (hwloc_obj_t pci = nullptr; (pci = hwloc_get_next_pcidev(topology, pci)) != nullptr;) {
    const unsigned kind = pci->attr->pcidev.class_id;
    if (pci->attr->pcidev.vendor_id != kNvidia || (kind != 0x0300 && kind != 0x0302)) continue;
    MachineGpu gpu{places.of(pci), info(pci, "PCIDevice"), {}};
    for (hwloc_obj_t device = pci->io_first_child; device != nullptr; device = device->next_sibling) {
      if (begins(device, "cuda") || begins(device, "nvml")) take_names(device, gpu);
    }
    gpus.push_back(std::move(gpu));
  }
  std::sort(gpus.begin(), gpus.end(), [](const auto& a, const auto& b) { return a.place.bus_id < b.place.bus_id; });
  if (!gpus.empty()) return gpus;
  // Without a PCI tree (WSL2) the drivers' names for them hang on the machine itself, several for a card.
  for (const char* driver : {"nvml", "cuda"}) {
    for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device)) != nullptr;) {
      if (!begins(device, driver)) continue;
      take_names(device, gpus.emplace_back(MachineGpu{places.of(device), {}, {}}));
    }
    if (!gpus.empty()) break;
  }
  return gpus;
}

LinkState ports_state(hwloc_obj_t hca) {
  LinkState state = LinkState::unknown;
  for (int port = 1; port <= 2; ++port) {
    const std::string text = info(hca, ("Port" + std::to_string(port) + "State").c_str());
    if (text == "4") return LinkState::up;
    if (!text.empty()) state = LinkState::down;
  }
  return state;
}

std::vector<NetworkCard> read_cards(hwloc_topology_t topology, Places& places) {
  constexpr float kMegabits = 8000;  // in a GB
  std::vector<NetworkCard> cards;
  std::map<std::string, LinkState> links;
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device)) != nullptr;) {
    const bool hca = device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
    if (device->name == nullptr || (!hca && device->attr->osdev.type != HWLOC_OBJ_OSDEV_NETWORK)) continue;
    NetworkCard card{device->name, hca, places.of(device), hca ? ports_state(device) : LinkState::unknown};
    const hwloc_obj_t parent = device->parent;
    if (parent->type == HWLOC_OBJ_PCI_DEVICE && parent->attr->pcidev.linkspeed > 0) {
      card.speed = static_cast<int>(parent->attr->pcidev.linkspeed * kMegabits);
    }
    if (hca && !card.place.bus_id.empty()) links[card.place.bus_id] = card.link;
    cards.push_back(std::move(card));
  }
  for (NetworkCard& card : cards) {
    const auto port = links.find(card.place.bus_id);
    if (!card.hca && port != links.end()) card.link = port->second;
  }
  std::sort(cards.begin(), cards.end(), [](const auto& a, const auto& b) {
    return std::tie(a.place.bus_id, a.name) < std::tie(b.place.bus_id, b.name);
  });
  return cards;
}

Machine to_machine(hwloc_topology_t topology, hwloc_const_bitmap_t usable) {
  Machine machine;
  machine.numa_nodes = read_numa_nodes(topology, usable);
  machine.numa_distances = read_distances(topology, machine.numa_nodes);
  Places places(topology, machine.numa_nodes);
  machine.gpus = read_gpus(topology, places);
  machine.cards = read_cards(topology, places);
  return machine;
}

}  // namespace

Machine read_machine(const std::optional<std::vector<int>>& cpus, bool cards) {
  const Topology topology = make_topology(HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM, cards);
  if (hwloc_topology_load(topology.get()) != 0) throw SystemError("hwloc_topology_load", std::strerror(errno), errno);
  const Bitmap usable(hwloc_bitmap_alloc());
  if (cpus) {
    for (const int cpu : *cpus) hwloc_bitmap_set(usable.get(), static_cast<unsigned>(cpu));
    return to_machine(topology.get(), usable.get());
  }
  // The kernel keeps the affinity mask within the cgroup's set.
  if (hwloc_get_cpubind(topology.get(), usable.get(), HWLOC_CPUBIND_THREAD) != 0) {
    hwloc_bitmap_copy(usable.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
  }
  return to_machine(topology.get(), usable.get());
}

Machine read_machine_xml(const std::string& path) {
  const Topology topology = make_topology();
  if (hwloc_topology_set_xml(topology.get(), path.c_str()) != 0 || hwloc_topology_load(topology.get()) != 0) {
    throw UserError(path + " is not a topology that hwloc can read", "save one with: lstopo --of xml FILE");
  }
  return to_machine(topology.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
}

Machine read_machine_synthetic(const std::string& description) {
  const Topology topology = make_topology();
  if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0) {
    throw UserError("'" + description + "' is not a topology in hwloc's short form", "for example: numa:2 core:4 pu:2");
  }
  return to_machine(topology.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
}

}  // namespace ringrun
