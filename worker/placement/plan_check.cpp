#include "worker/placement/plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "lib/topology/cpu_list.hpp"

namespace ringrun::worker {
namespace {

constexpr const char* kBindingRemedy =
    "a program between ringrun and the worker binds it (taskset, numactl, a script): leave that out, or leave the "
    "binding to it: ringrun --bind-to none";
constexpr const char* kGpuRemedy =
    "something between ringrun and the worker changes CUDA_VISIBLE_DEVICES or CUDA_DEVICE_ORDER: leave that out, or "
    "name the GPUs to ringrun: '#: gpus=' in the hostfile";

Unsupported mismatch(std::size_t process, const ProcessFacts& facts, const std::string& real,
                     const std::string& planned, const char* remedy) {
  return Unsupported(fmt::format("rank {} on {} has {}, and ringrun planned {}", process, facts.host, real, planned),
                     remedy);
}

/// The nodes that its memory is kept to, and that were not planned.
bool has_other_memory(const RankBinding& binding) {
  const std::vector<int> planned = parse_cpu_list(binding.planned->memory);
  return !planned.empty() && std::any_of(binding.memory.nodes.begin(), binding.memory.nodes.end(), [&](int node) {
    return std::find(planned.begin(), planned.end(), node) == planned.end();
  });
}

/// Of the process's only GPU; "" where it has none, or several.
std::string bus_id_of(const Options& options, const ProcessFacts& facts, const BackendDecision& decision,
                      std::size_t process) {
  if (!decision.nccl || options.ranks_of_process() != 1 || facts.first_device >= 0) return "";
  const std::string& bus_id = facts.devices.at(static_cast<std::size_t>(decision.devices.at(process).at(0))).bus_id;
  // CUDA's has no function.
  return bus_id.empty() ? "" : bus_id + ".0";
}

}  // namespace

std::optional<Unsupported> refusal_by_plan(const Options& options, const std::vector<ProcessFacts>& facts,
                                           const BackendDecision& decision) {
  for (std::size_t process = 0; process < facts.size(); ++process) {
    const ProcessFacts& here = facts[process];
    const RankBinding& binding = here.binding;
    if (!binding.planned) continue;
    const PlannedPlacement& planned = *binding.planned;
    if (!planned.cpus.empty() && planned.cpus != binding.cpus)
      return mismatch(process, here, "CPUs " + binding.cpus, planned.cpus, kBindingRemedy);
    if (has_other_memory(binding)) {
      return mismatch(process, here, "memory of NUMA nodes " + format_cpu_list(binding.memory.nodes), planned.memory,
                      kBindingRemedy);
    }
    const std::string bus_id = bus_id_of(options, here, decision, process);
    if (!bus_id.empty() && !binding.planned_bus_id.empty() && bus_id != binding.planned_bus_id) {
      return mismatch(process, here, "GPU " + bus_id, fmt::format("{} (GPU {})", binding.planned_bus_id, planned.gpu),
                      kGpuRemedy);
    }
  }
  return std::nullopt;
}

}  // namespace ringrun::worker
