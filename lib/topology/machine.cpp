#include "lib/topology/machine.hpp"

#include <algorithm>
#include <cctype>

namespace ringrun {

int core_count(const Machine& machine) {
  std::size_t count = 0;
  for (const NumaNode& node : machine.numa_nodes) count += node.cores.size();
  return static_cast<int>(count);
}

int cpu_count(const Machine& machine) {
  std::size_t count = 0;
  for (const NumaNode& node : machine.numa_nodes) {
    for (const Core& core : node.cores) count += core.cpus.size();
  }
  return static_cast<int>(count);
}

std::string normal_bus_id(std::string_view bus_id) {
  std::string text(bus_id);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  if (std::count(text.begin(), text.end(), ':') == 1) return "0000:" + text;
  // A domain has at least four digits; NVML writes eight.
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos || colon <= 4) return text;
  const std::size_t first = std::min(text.find_first_not_of('0'), colon - 4);
  return text.substr(first);
}

std::vector<int> numa_nodes_near(const Machine& machine, std::string_view bus_id) {
  const std::string wanted = normal_bus_id(bus_id);
  for (const PciDevice& device : machine.devices) {
    if (device.bus_id == wanted && !device.numa_nodes.empty()) return device.numa_nodes;
  }
  std::vector<int> all;
  for (const NumaNode& node : machine.numa_nodes) all.push_back(node.index);
  return all;
}

}  // namespace ringrun
