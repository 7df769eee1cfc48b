#include "lib/topology/hwloc_reader.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <tuple>

#include "lib/error.hpp"
#include "lib/topology/hwloc_cards.hpp"
#include "lib/topology/kernel_nodes.hpp"
#include "lib/topology/trial_load.hpp"
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

/// How deep the object that this memory hangs on lies.
int depth_of(hwloc_obj_t numa) {
  hwloc_obj_t above = numa->parent;
  while (hwloc_obj_type_is_memory(above->type)) above = above->parent;
  return above->depth;
}

std::vector<hwloc_obj_t> numa_objects(hwloc_topology_t topology, const KernelNodes& kernel) {
  std::vector<hwloc_obj_t> objects;
  for (hwloc_obj_t numa = nullptr;
       (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
    objects.push_back(numa);
  }
  // Memory that is next to several nodes' cores (a GPU's, where its place is not known) comes after those nodes, that
  // of the whole machine after that of its only package, and HBM after the ordinary memory over the same cores, which
  // has the lower number.
  const auto order = [&](hwloc_obj_t numa) {
    const bool cpuless = kernel.without_cpus.count(static_cast<int>(numa->os_index)) != 0;
    return std::tuple(cpuless, hwloc_bitmap_weight(numa->cpuset), -depth_of(numa), numa->os_index);
  };
  std::sort(objects.begin(), objects.end(), [&](hwloc_obj_t a, hwloc_obj_t b) { return order(a) < order(b); });
  return objects;
}

std::vector<NumaNode> read_numa_nodes(hwloc_topology_t topology, hwloc_const_bitmap_t usable,
                                      const KernelNodes& kernel) {
  const std::vector<hwloc_obj_t> objects = numa_objects(topology, kernel);
  // A machine described by hand may not say how much memory there is: then each node has some.
  const bool sizes = std::any_of(objects.begin(), objects.end(),
                                 [](hwloc_obj_t numa) { return numa->attr->numanode.local_memory > 0; });
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  const Bitmap free(hwloc_bitmap_dup(root->cpuset));
  const Bitmap offline(hwloc_bitmap_alloc());
  hwloc_bitmap_andnot(offline.get(), root->complete_cpuset, root->cpuset);
  std::vector<NumaNode> nodes;
  for (const hwloc_obj_t numa : objects) {
    const Bitmap own(hwloc_bitmap_alloc());
    hwloc_bitmap_and(own.get(), numa->cpuset, free.get());
    // One whose processors are all switched off still says where the cards next to it are.
    const bool is_off =
        hwloc_bitmap_iszero(numa->cpuset) && hwloc_bitmap_intersects(numa->complete_cpuset, offline.get());
    if (hwloc_bitmap_iszero(own.get()) && !is_off && !kernel.has_card(static_cast<int>(numa->os_index))) continue;
    hwloc_bitmap_andnot(free.get(), free.get(), own.get());
    if (is_off) hwloc_bitmap_andnot(offline.get(), offline.get(), numa->complete_cpuset);
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
      const bool known = place.count(from.index) != 0 && place.count(to.index) != 0;
      row.push_back(known ? static_cast<int>(found->values[place[from.index] * found->nbobjs + place[to.index]]) : 0);
    }
    distances.push_back(std::move(row));
  }
  hwloc_distances_release(topology, found);
  return distances;
}

Machine to_machine(hwloc_topology_t topology, hwloc_const_bitmap_t usable, const KernelNodes& kernel = {}) {
  Machine machine;
  machine.numa_nodes = read_numa_nodes(topology, usable, kernel);
  machine.numa_distances = read_distances(topology, machine.numa_nodes);
  read_hwloc_cards(topology, kernel.of_cards, machine);
  return machine;
}

/// hwloc 3 writes files of its own version, which hwloc 2 refuses.
bool is_of_hwloc3(const std::string& path) {
  std::ifstream file(path);
  std::string head(1024, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find("<topology version=\"3") != std::string::npos;
}

}  // namespace

Machine read_machine(const std::optional<std::vector<int>>& cpus, bool cards) {
  const Topology topology = make_topology(HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM, cards);
  if (hwloc_topology_load(topology.get()) != 0) throw SystemError("hwloc_topology_load", std::strerror(errno), errno);
  const Bitmap usable(hwloc_bitmap_alloc());
  if (cpus) {
    for (const int cpu : *cpus) hwloc_bitmap_set(usable.get(), static_cast<unsigned>(cpu));
    return to_machine(topology.get(), usable.get(), read_kernel_nodes(topology.get()));
  }
  // The kernel keeps the affinity mask within the cgroup's set.
  if (hwloc_get_cpubind(topology.get(), usable.get(), HWLOC_CPUBIND_THREAD) != 0) {
    hwloc_bitmap_copy(usable.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
  }
  return to_machine(topology.get(), usable.get(), read_kernel_nodes(topology.get()));
}

Machine read_machine_xml(const std::string& path) {
  const std::string remedy = is_of_hwloc3(path) ? "save one with: lstopo --of xml --export-xml-flags v2 FILE"
                                                : "save one with: lstopo --of xml FILE";
  const auto load = [&] {
    Topology topology = make_topology();
    if (hwloc_topology_set_xml(topology.get(), path.c_str()) != 0 || hwloc_topology_load(topology.get()) != 0) {
      throw UserError(path + " is not a topology that hwloc can read", remedy);
    }
    return to_machine(topology.get(), hwloc_topology_get_allowed_cpuset(topology.get()));
  };
  if (!comes_to_its_end(load)) throw UserError(path + " is damaged: hwloc does not come to its end with it", remedy);
  Machine machine = load();
  if (core_count(machine) == 0) throw UserError(path + " allows no CPU at all", remedy);
  return machine;
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
