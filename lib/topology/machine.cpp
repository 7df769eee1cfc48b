#include "lib/topology/machine.hpp"

#include <algorithm>
#include <cctype>

namespace ringrun {
namespace {

std::size_t shared_bridges(const CardPlace& a, const CardPlace& b) {
  const auto [end, other] = std::mismatch(a.bridges.begin(), a.bridges.end(), b.bridges.begin(), b.bridges.end());
  return static_cast<std::size_t>(end - a.bridges.begin());
}

std::size_t position(const Machine& machine, int index) {
  const auto found = std::find_if(machine.numa_nodes.begin(), machine.numa_nodes.end(),
                                  [&](const NumaNode& node) { return node.index == index; });
  return static_cast<std::size_t>(found - machine.numa_nodes.begin());
}

}  // namespace

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

bool is_lower_bus_id(std::string_view a, std::string_view b) {
  // No domain begins with a zero unless it has four digits.
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

const CardPlace* find_gpu_place(const Machine& machine, std::string_view bus_id) {
  const std::string wanted = normal_bus_id(bus_id);
  if (wanted.empty()) return nullptr;
  for (const MachineGpu& gpu : machine.gpus) {
    if (gpu.place.bus_id == wanted) return &gpu.place;
  }
  return nullptr;
}

int numa_distance(const Machine& machine, int from, int to) {
  const auto& nodes = machine.numa_nodes;
  const std::size_t i = position(machine, from);
  const std::size_t j = position(machine, to);
  const bool together =
      i == j || (i < nodes.size() && j < nodes.size() && nodes[i].package >= 0 && nodes[i].package == nodes[j].package);
  const auto& said = machine.numa_distances;
  int distance = i < said.size() && j < said[i].size() ? said[i][j] : 0;
  if (distance == 0) distance = i == j ? 10 : together ? 20 : 40;
  return 2 * distance + (together ? 0 : 1);
}

int card_distance(const Machine& machine, const CardPlace& from, const CardPlace& to) {
  constexpr int kMostBridges = 100;
  if (const std::size_t shared = shared_bridges(from, to); shared > 0) {
    return static_cast<int>(from.bridges.size() - shared) * kMostBridges + static_cast<int>(to.bridges.size() - shared);
  }
  // The mean, so that a card somewhere on the machine is farther than one on this node and nearer than one elsewhere.
  int sum = 0;
  for (const int a : from.numa_nodes) {
    for (const int b : to.numa_nodes) sum += numa_distance(machine, a, b);
  }
  const auto pairs = static_cast<int>(from.numa_nodes.size() * to.numa_nodes.size());
  return kMostBridges * kMostBridges + (pairs == 0 ? 0 : sum * kMostBridges / pairs);
}

}  // namespace ringrun
