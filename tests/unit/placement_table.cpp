#include "tests/unit/placement_table.hpp"

#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text.empty() ? "-" : text;
}

std::string list(const std::vector<int>& numbers) { return numbers.empty() ? "-" : format_cpu_list(numbers); }

}  // namespace

std::string placement_table(const std::vector<Gpu>& gpus, const HostPlacement& placement) {
  std::string text = "\n";
  for (std::size_t i = 0; i < placement.ranks.size(); ++i) {
    const RankPlacement& rank = placement.ranks[i];
    const std::string gpu = rank.gpu < 0 ? "-" : gpus.at(static_cast<std::size_t>(rank.gpu)).bus_id;
    text += std::to_string(i) + " → " + (gpu.empty() ? "?" : gpu) + " | " +
            (rank.numa ? std::to_string(*rank.numa) : "-") + " | " + list(rank.cpus) + " | " + list(rank.memory_nodes) +
            " | " + joined(rank.nics) + " | " + joined(rank.hcas) + "\n";
  }
  return text + (placement.note.empty() ? "" : "note: " + placement.note + "\n");
}

std::string placement_table(const Machine& machine, int ranks, const PlacementPolicy& policy) {
  const std::vector<Gpu> gpus = gpus_of(machine);
  return placement_table(gpus, resolve_placement(machine, gpus, ranks, policy));
}

}  // namespace ringrun
