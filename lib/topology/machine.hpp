#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// A physical core: the operating system's numbers of those of its hardware threads that this process may use.
struct Core {
  std::vector<int> cpus;
  bool operator==(const Core&) const = default;
};

/// A memory node and the cores next to it. `index` is the operating system's number.
struct NumaNode {
  int index = 0;
  std::vector<Core> cores;
  bool operator==(const NumaNode&) const = default;
};

/// A graphics or network card. `bus_id` is "0000:4e:00.0". `numa_nodes` are the memory nodes it is next to: one where
/// the machine says so, several where the card hangs on a package with more nodes or on no particular one.
struct PciDevice {
  std::string bus_id;
  bool network = false;
  std::vector<int> numa_nodes;
  bool operator==(const PciDevice&) const = default;
};

/// What placement needs to know of a host; only processors that the process may use are in it.
struct Machine {
  std::vector<NumaNode> numa_nodes;
  std::vector<PciDevice> devices;
  bool operator==(const Machine&) const = default;
};

int core_count(const Machine& machine);

/// Hardware threads.
int cpu_count(const Machine& machine);

/// "00000000:4E:00.0" (NVML) and "4e:00.0" (lspci) as "0000:4e:00.0".
std::string normal_bus_id(std::string_view bus_id);

/// The memory nodes next to the device; all of the machine's where the device is not known (WSL2 shows no PCI).
std::vector<int> numa_nodes_near(const Machine& machine, std::string_view bus_id);

}  // namespace ringrun
