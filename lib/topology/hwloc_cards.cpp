#include "lib/topology/hwloc_cards.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringrun {
namespace {

/// Places of devices; numbers the bridges as they are met.
class Places {
 public:
  Places(hwloc_topology_t topology, const std::vector<NumaNode>& nodes, const std::map<std::string, int>& known)
      : topology_(topology), nodes_(nodes), known_(known) {}

  CardPlace of(hwloc_obj_t device) {
    CardPlace place;
    for (hwloc_obj_t above = device; above != nullptr && hwloc_obj_type_is_io(above->type); above = above->parent) {
      if (above->type == HWLOC_OBJ_PCI_DEVICE && place.bus_id.empty()) place.bus_id = pci_bus_id(above);
      if (above->type == HWLOC_OBJ_BRIDGE) {
        place.bridges.push_back(bridges_.try_emplace(above, static_cast<int>(bridges_.size())).first->second);
      }
    }
    std::reverse(place.bridges.begin(), place.bridges.end());
    if (const auto known = known_.find(place.bus_id); known != known_.end()) {
      place.numa_nodes = {known->second};
      return place;
    }
    const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology_, device);
    for (const NumaNode& node : nodes_) {
      if (node.index >= 0 && hwloc_bitmap_isset(near->nodeset, static_cast<unsigned>(node.index))) {
        place.numa_nodes.push_back(node.index);
      }
    }
    return place;
  }

 private:
  hwloc_topology_t topology_;
  const std::vector<NumaNode>& nodes_;
  const std::map<std::string, int>& known_;
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
  std::sort(gpus.begin(), gpus.end(),
            [](const auto& a, const auto& b) { return is_lower_bus_id(a.place.bus_id, b.place.bus_id); });
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
    // hwloc keeps those PCI devices that are network cards, and not a USB controller: what is on that hangs on the
    // bridge.
    card.usb = parent->type == HWLOC_OBJ_BRIDGE;
    if (hca && !card.place.bus_id.empty()) links[card.place.bus_id] = card.link;
    cards.push_back(std::move(card));
  }
  for (NetworkCard& card : cards) {
    const auto port = links.find(card.place.bus_id);
    if (!card.hca && port != links.end()) card.link = port->second;
  }
  std::sort(cards.begin(), cards.end(), [](const auto& a, const auto& b) {
    if (a.place.bus_id == b.place.bus_id) return a.name < b.name;
    return is_lower_bus_id(a.place.bus_id, b.place.bus_id);
  });
  return cards;
}

}  // namespace

std::string pci_bus_id(const hwloc_obj* device) {
  const auto& pci = device->attr->pcidev;
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:%02x.%01x", static_cast<unsigned>(pci.domain), pci.bus, pci.dev,
                pci.func);
  return text;
}

void read_hwloc_cards(hwloc_topology_t topology, const std::map<std::string, int>& nodes, Machine& machine) {
  Places places(topology, machine.numa_nodes, nodes);
  machine.gpus = read_gpus(topology, places);
  machine.cards = read_cards(topology, places);
}

}  // namespace ringrun
