#include "worker/placement/binding_origin.hpp"

#include <algorithm>
#include <string_view>

#include "lib/text/words.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun::worker {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string value(const BindingEvidence& evidence, const char* name) {
  const char* text = evidence.variable(name);
  return text == nullptr ? "" : text;
}

BindingVerdict asked(std::string by) { return {BindingOrigin::kAsked, std::move(by)}; }

/// What Open MPI 4.1 hands on. 5 reads none of them.
std::optional<BindingVerdict> by_parameters(const BindingEvidence& evidence) {
  if (evidence.variable("OMPI_MCA_orte_ess_num_procs") == nullptr) return std::nullopt;
  const std::string policy = value(evidence, "OMPI_MCA_hwloc_base_binding_policy");
  if (!policy.empty()) return asked("--bind-to " + policy);
  for (const char* name : {"hwloc_base_bind_to_core", "hwloc_base_bind_to_socket", "rmaps_base_cpus_per_rank"}) {
    if (!value(evidence, (std::string("OMPI_MCA_") + name).c_str()).empty()) return asked(name);
  }
  const std::string mapping = value(evidence, "OMPI_MCA_rmaps_base_mapping_policy");
  if (has(lower_case(mapping), "pe=")) return asked("--map-by " + mapping);
  return std::nullopt;
}

std::optional<BindingVerdict> by_mapping(const mpi::EngineBinding& engine) {
  if (engine.policy.rfind("CPUSET", 0) == 0 || engine.mapping.rfind("BYUSER", 0) == 0)
    return asked("a rankfile or a list of CPUs");
  if (engine.mapping.rfind("PE-LIST", 0) == 0) return asked("a list of CPUs");
  if (engine.policy.rfind("HWTHREAD", 0) == 0) return asked("--use-hwthread-cpus");
  return std::nullopt;
}

std::string policy_name(const mpi::EngineBinding& engine) { return engine.policy.substr(0, engine.policy.find(':')); }

/// The processors that the engine left this process with; unset where it does not say, and nobody can see.
std::optional<std::vector<int>> left_by_engine(const BindingEvidence& evidence) {
  return evidence.engine->cpus.empty() ? evidence.launcher : parse_cpu_list(evidence.engine->cpus);
}

BindingVerdict of_engine(const BindingEvidence& evidence) {
  const mpi::EngineBinding& engine = *evidence.engine;
  if (const auto verdict = by_parameters(evidence)) return *verdict;
  if (const auto verdict = by_mapping(engine)) return *verdict;
  if (!has(engine.policy, ":IF-SUPPORTED")) {
    const bool crowded = engine.policy == "NONE" && has(engine.mapping, ":OVERSUBSCRIBE");
    if (crowded) {
      return {BindingOrigin::kUnknown,
              "with more ranks than slots this mpirun says the same of its default and of --bind-to none"};
    }
    return asked("--bind-to " + lower_case(policy_name(engine)));
  }
  const auto left = left_by_engine(evidence);
  if (left && *left != evidence.own) return asked("a program between mpirun and the worker (taskset, numactl)");
  if (policy_name(engine) == "CORE" && evidence.own_cores > 1 && !engine.cpus.empty()) return asked("pe= of --map-by");
  return {BindingOrigin::kDefault, "mpirun's default (" + lower_case(policy_name(engine)) + ")"};
}

}  // namespace

BindingVerdict judge_binding(const BindingEvidence& evidence) {
  if (evidence.memory_is_chosen) return asked("a memory policy (numactl)");
  if (!evidence.launcher) return {BindingOrigin::kUnknown, "the launcher's process cannot be seen from here"};
  if (evidence.engine) return of_engine(evidence);
  if (evidence.own != *evidence.launcher) {
    if (!evidence.launched) return asked("a program before the worker (taskset, numactl)");
    return {BindingOrigin::kUnknown, "this launcher does not tell whether somebody asked for it"};
  }
  if (has(value(evidence, "SLURM_CPU_BIND"), "none")) return asked("--cpu-bind=none");
  return {BindingOrigin::kDefault, ""};
}

}  // namespace ringrun::worker
