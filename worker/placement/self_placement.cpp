#include "worker/placement/self_placement.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "lib/gpu/gpu.hpp"
#include "lib/mpi/engine_binding.hpp"
#include "lib/placement/planned_placement.hpp"
#include "lib/placement/process_binding.hpp"
#include "lib/topology/core_siblings.hpp"
#include "lib/topology/hwloc_reader.hpp"
#include "worker/placement/binding_origin.hpp"
#include "worker/placement/gpu_share.hpp"
#include "worker/placement/launcher_cpus.hpp"
#include "worker/placement/rank_binding.hpp"

namespace ringrun::worker {
namespace {

const char* own_variable(const char* name) { return std::getenv(name); }

std::vector<Gpu> gpus_for_cuda() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible_gpus(read_nvml_gpus().gpus, visible == nullptr ? std::nullopt : std::optional<std::string>(visible));
}

/// CUDA's own order of different cards is by speed. ringrun's is by bus id, and so the same local rank has the same
/// card with it and without.
void number_by_bus_id(const std::vector<Gpu>& gpus) {
  const bool mixed = std::any_of(gpus.begin(), gpus.end(), [&](const Gpu& gpu) { return gpu.name != gpus[0].name; });
  if (mixed) setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
}

/// Of a single memory node nobody asks where on it the cards are.
Machine machine_within(const std::optional<std::vector<int>>& cpus) {
  Machine machine = read_machine(cpus, false);
  return machine.numa_nodes.size() == 1 ? machine : read_machine(cpus);
}

BindingVerdict judge_own(bool launched) {
  BindingEvidence evidence;
  evidence.launched = launched;
  // A process that nobody launched has a daemon of its own making, which bound nothing.
  if (launched) evidence.engine = mpi::engine_binding();
  evidence.variable = own_variable;
  evidence.own = own_cpus();
  evidence.launcher = launcher_cpus();
  evidence.own_cores = core_count_of(evidence.own);
  const std::string memory = memory_policy().kind;
  evidence.memory_is_chosen = !memory.empty() && memory != "any";
  return judge_binding(evidence);
}

}  // namespace

ProcessView view_self(const Options& options, bool launched, int local_rank) noexcept try {
  // Where ringrun left the binding to the engine, this is as under plain mpirun.
  const auto planned = planned_placement(own_variable);
  if (planned && !planned->cpus.empty()) return {};
  const std::vector<Gpu> gpus = gpus_for_cuda();
  if (gpus.empty()) return {};
  number_by_bus_id(gpus);
  return {judge_own(launched), gpus_taken(gpus, local_rank, options)};
} catch (const std::exception& error) {
  return {BindingVerdict{BindingOrigin::kUnknown, std::string("no better one can be found: ") + error.what()}, {}};
}

std::string place_self(const std::vector<ProcessView>& host, std::size_t own) noexcept try {
  if (!host.at(own).verdict) return "";
  const BindingVerdict verdict = verdict_of_host(host, own);
  if (verdict.origin == BindingOrigin::kAsked) return "kept as asked for by " + verdict.by;
  if (verdict.origin == BindingOrigin::kUnknown) return "kept, since " + verdict.by;
  std::vector<std::vector<std::string>> gpus;
  for (const ProcessView& process : host) gpus.push_back(process.gpus);
  const ProcessPlacement placement = place_process(machine_within(launcher_cpus()), gpus, own);
  bind_process(placement.cpus);
  prefer_memory(placement.memory_nodes);
  std::string text = placement.note.empty() ? "a share of the CPUs next to each GPU, " : "a share of the CPUs, ";
  text += verdict.by.empty() ? "where nothing was bound" : "instead of " + verdict.by;
  return placement.note.empty() ? text : text + "; " + placement.note;
} catch (const std::exception& error) {
  return std::string("kept, since no better one can be found: ") + error.what();
}

}  // namespace ringrun::worker
