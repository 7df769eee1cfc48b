#include "launcher/run/rank_identity.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "launcher/engine/host_directory.hpp"
#include "launcher/engine/left_over.hpp"
#include "launcher/engine/plan_variables.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/name_ranges.hpp"
#include "launcher/run/shell_stage.hpp"
#include "lib/error.hpp"
#include "lib/mpi/launch_environment.hpp"
#include "lib/placement/planned_placement.hpp"
#include "lib/placement/process_binding.hpp"
#include "lib/text/record_frame.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

using Variable = std::function<const char*(const char*)>;

int number(const std::string& name, const char* text) {
  int value = 0;
  const auto [end, code] = std::from_chars(text, text + std::strlen(text), value);
  if (code != std::errc{} || *end != '\0' || value < 0) {
    throw UserError("ringrun __rank: " + name + "='" + text + "' is not a number");
  }
  return value;
}

/// The number in the first of these variables that is set.
int number(const Variable& variable, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const char* text = variable(name)) return number(name, text);
  }
  throw UserError(std::string("ringrun __rank: ") + *names.begin() + " is not set",
                  "it is started by the engine of a ringrun job");
}

int local_size(const Variable& variable) {
  if (const char* text = variable("OMPI_COMM_WORLD_LOCAL_SIZE")) return number("OMPI_COMM_WORLD_LOCAL_SIZE", text);
  const char* tasks = variable("SLURM_STEP_TASKS_PER_NODE");
  if (tasks == nullptr) return number(variable, {"OMPI_COMM_WORLD_LOCAL_SIZE"});
  return mpi::tasks_on_node(tasks, number(variable, {"SLURM_NODEID"}));
}

// Slurm gives the launching host's variables to every host, so there ringrun's own number is that of the launching
// host everywhere. SLURM_NODEID counts in Slurm's order, not in the plan's.
int host_of(const JobPlan& plan, const Variable& variable) {
  if (const char* node = variable("SLURMD_NODENAME")) {
    int place = 0;
    for (const std::string& word : plan.nodes) {
      const std::vector<std::string> names = expand_name(word);
      const auto found = std::find(names.begin(), names.end(), node);
      if (found != names.end()) return place + static_cast<int>(found - names.begin());
      place += static_cast<int>(names.size());
    }
  }
  return number(variable, {kHostVariable});
}

const PlanRow* find_row(const JobPlan& plan, const RankIdentity& identity) {
  const auto& rows = class_of(plan, identity.host).rows;
  const auto index = static_cast<std::size_t>(identity.local_rank);
  return index < rows.size() && rows[index] != PlanRow{} ? &rows[index] : nullptr;
}

}  // namespace

RankIdentity read_rank_identity(const JobPlan& plan, const Variable& variable) {
  return {number(variable, {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"}),
          number(variable, {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "SLURM_NTASKS"}),
          number(variable, {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}), local_size(variable),
          host_of(plan, variable)};
}

void set_rank_environment(const JobPlan& plan, const RankIdentity& identity) {
  std::string names;
  const auto set = [&](const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), 1);
    names += name + ",";
  };
  for (const auto& [name, value] : rank_environment(plan, identity)) set(name, value);
  for (const auto& [name, value] : class_of(plan, identity.host).defaults) {
    if (std::getenv(name.c_str()) == nullptr) set(name, value);
  }
  if (plan.shows_progress) set(kProgressVariable, plan.rendezvous.run_id);
  const PlanRow* row = find_row(plan, identity);
  if (row != nullptr) {
    const auto own = [](const char* name) -> const char* { return std::getenv(name); };
    set(kPlacementVariable, to_json(PlannedPlacement{mpi::engine_job(own), row->gpu, row->cpus, row->memory}));
  }
  names.pop_back();
  setenv(kSetVariable, names.c_str(), 1);
  for (const char* name : {kHostVariable, kHostsVariable, kSelfVariable, kRunVariable, kLauncherVariable})
    unsetenv(name);
  for (const auto& [name, value] : read_environment()) {
    if (is_plan_variable(name)) unsetenv(name.c_str());
  }
  // The user's own.
  if (const PlanProgram* program = program_of(plan, identity.rank)) {
    for (const auto& [name, value] : program->environment) setenv(name.c_str(), value.c_str(), 1);
  }
  // One of those that are visible by the user's word.
  if (row != nullptr && !row->visible_devices.empty()) setenv("CUDA_VISIBLE_DEVICES", row->visible_devices.c_str(), 1);
}

void bind_rank(const JobPlan& plan, const RankIdentity& identity) {
  const PlanRow* row = find_row(plan, identity);
  if (row == nullptr || row->cpus.empty()) return;
  bind_process(parse_cpu_list(row->cpus));
  prefer_memory(parse_cpu_list(row->memory));
}

int gpu_of(const JobPlan& plan, const RankIdentity& identity) {
  const PlanRow* row = find_row(plan, identity);
  return row == nullptr ? -1 : row->gpu;
}

}  // namespace ringrun
