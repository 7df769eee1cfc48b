#pragma once

#include <map>
#include <set>
#include <string>

struct hwloc_topology;

namespace ringrun {

/// What the kernel of this host says of its memory nodes where hwloc guesses by the processors beside things: a node
/// whose processors are all switched off has none to show.
struct KernelNodes {
  /// By bus id, the nodes of those PCI devices that hwloc hangs on several.
  std::map<std::string, int> of_cards;
  /// Nodes without processors, which hwloc puts over those of the nearest.
  std::set<int> without_cpus;

  bool has_card(int node) const;
};

KernelNodes read_kernel_nodes(hwloc_topology* topology);

}  // namespace ringrun
