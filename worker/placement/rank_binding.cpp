#include "worker/placement/rank_binding.hpp"

#include <cstdlib>

#include "lib/gpu/gpu.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun::worker {

std::optional<PlannedPlacement> planned_placement(const std::function<const char*(const char*)>& variable) {
  const char* text = variable(kPlacementVariable);
  if (text == nullptr) return std::nullopt;
  PlannedPlacement planned = planned_placement_from_json(text);
  return planned.job == mpi::engine_job(variable) ? std::optional(std::move(planned)) : std::nullopt;
}

RankBinding read_rank_binding(bool has_gpu) {
  RankBinding binding;
  binding.cpus = format_cpu_list(own_cpus());
  binding.memory = memory_policy();
  binding.planned = planned_placement([](const char* name) -> const char* { return std::getenv(name); });
  if (!binding.planned || binding.planned->gpu < 0 || !has_gpu) return binding;
  for (const Gpu& gpu : read_nvml_gpus().gpus) {
    if (gpu.index == binding.planned->gpu) binding.planned_bus_id = gpu.bus_id;
  }
  return binding;
}

}  // namespace ringrun::worker
