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

/// A memory node and the cores next to it. Memory without processors of its own (HBM beside the ordinary memory, the
/// memory of a GPU) is no node here: nothing is placed on it unasked. A node whose processors are switched off is one,
/// where a card is next to it.
struct NumaNode {
  int index = 0;     ///< the operating system's number; -1 for cores that no memory node holds
  int package = -1;  ///< the operating system's number of its package; -1 where it lies in none
  /// None where this process may use none of them.
  std::vector<Core> cores;
  bool memory = true;  ///< it has some, and this process may use it
  bool operator==(const NumaNode&) const = default;
};

/// Where a card sits.
struct CardPlace {
  std::string bus_id;  ///< "0000:4e:00.0"; "" for what is no PCI device
  /// The memory nodes it is next to: one where the machine says so, several where the card hangs on a package with more
  /// nodes or on no particular one.
  std::vector<int> numa_nodes;
  /// Numbers of the bridges above it, the host bridge first: two cards are the nearer the more of them they share.
  std::vector<int> bridges;
  bool operator==(const CardPlace&) const = default;
};

/// An NVIDIA GPU. Name and UUID are "" where the machine does not say.
struct MachineGpu {
  CardPlace place;
  std::string name;
  std::string uuid;
  bool operator==(const MachineGpu&) const = default;
};

enum class LinkState { unknown, up, down };

/// A network interface ("eth0") or an RDMA device ("mlx5_0"); a card is both where it has both names.
struct NetworkCard {
  std::string name;
  bool hca = false;
  CardPlace place;
  LinkState link = LinkState::unknown;
  int speed = -1;    ///< Mb/s: of its link, of its PCIe lanes where the link's is not known; -1: neither is
  bool usb = false;  ///< it hangs on USB, as the network between a server and its management controller does
  bool operator==(const NetworkCard&) const = default;
};

/// What placement needs to know of a host; only processors that the process may use are in it.
struct Machine {
  std::vector<NumaNode> numa_nodes;  ///< in the order of their index
  /// How far the memory of node j is from the cores of node i, 10 for its own, 0 where the machine does not say; empty
  /// where it says nothing of any.
  std::vector<std::vector<int>> numa_distances;
  std::vector<MachineGpu> gpus;    ///< in the order of their bus ids
  std::vector<NetworkCard> cards;  ///< in the order of their bus ids, then names
  bool operator==(const Machine&) const = default;
};

int core_count(const Machine& machine);

/// Hardware threads.
int cpu_count(const Machine& machine);

/// "00000000:4E:00.0" (NVML) and "4e:00.0" (lspci) as "0000:4e:00.0".
std::string normal_bus_id(std::string_view bus_id);

/// Whether one of two bus ids, as normal_bus_id writes them, comes first: by the numbers in them, as nvidia-smi and
/// CUDA count. A domain may have more digits than another: 10000 is behind 2000.
bool is_lower_bus_id(std::string_view a, std::string_view b);

/// The place of the GPU with this bus id, in any of its spellings; nullptr where the machine does not show it (WSL2
/// shows no PCI).
const CardPlace* find_gpu_place(const Machine& machine, std::string_view bus_id);

/// Between two of its nodes, by index: less is nearer, and only that comparison has a meaning. As the machine says,
/// else as one that says 10 for the same one, 20 within a package, 40 beyond. Of nodes that are as far (virtual
/// machines say 20 of every other one) those in the same package are the nearer.
int numa_distance(const Machine& machine, int from, int to);

/// How far a card is from another: less is nearer, and only that comparison has a meaning, for the same `from`. Sharing
/// a bridge comes first, the lower the nearer, then the nodes that they are next to.
int card_distance(const Machine& machine, const CardPlace& from, const CardPlace& to);

}  // namespace ringrun
