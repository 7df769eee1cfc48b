#include "lib/mpi/launch_environment.hpp"

#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <sstream>
#include <string_view>

namespace ringrun::mpi {
namespace {

using Get = std::function<const char*(const char*)>;

std::optional<int> number(const char* text) {
  if (text == nullptr) return std::nullopt;
  const std::string_view view(text);
  int value = 0;
  const auto [end, code] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (code != std::errc{} || end != view.data() + view.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<int> first_of(const Get& get, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto value = number(get(name))) return value;
  }
  return std::nullopt;
}

/// `ranks` has the number of each program's ranks: "1 2". Open MPI 4.1's OMPI_FIRST_RANKS would say it, but is all 0.
std::optional<int> place_in_program(int rank, const char* ranks) {
  if (ranks == nullptr) return std::nullopt;
  std::istringstream numbers(ranks);
  for (int of_program = 0; numbers >> of_program;) {
    if (rank < of_program) return rank;
    rank -= of_program;
  }
  return std::nullopt;
}

}  // namespace

LaunchEnvironment read_launch_environment(const Get& get) {
  LaunchEnvironment found;
  // The starter's own variables come first: RANK and the like may be left over in a shell. SLURM_PROCID and
  // SLURM_LOCALID stand in a batch script too, where no rank was started: SLURM_STEP_NUM_TASKS tells a step apart.
  const bool slurm_step = get("SLURM_STEP_NUM_TASKS") != nullptr;
  const bool torchrun = get("TORCHELASTIC_RUN_ID") != nullptr;
  found.rank = first_of(get, {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"});
  found.size = first_of(get, {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"});
  found.local_rank = first_of(get, {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK"});
  found.local_size = first_of(get, {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"});
  if (found.rank) found.rank_of_program = place_in_program(*found.rank, get("OMPI_APP_CTX_NUM_PROCS"));
  const char* run = get("TORCHELASTIC_RUN_ID");
  found.by_ringrun = run != nullptr && std::string_view(run).rfind("ringrun-", 0) == 0;
  if (slurm_step) {
    if (!found.rank) found.rank = number(get("SLURM_PROCID"));
    if (!found.size) found.size = number(get("SLURM_STEP_NUM_TASKS"));
    if (!found.local_rank) found.local_rank = number(get("SLURM_LOCALID"));
    if (!found.local_size && number(get("SLURM_STEP_NUM_NODES")) == 1) found.local_size = found.size;
    const char* tasks = get("SLURM_STEP_TASKS_PER_NODE");
    const std::optional<int> node = number(get("SLURM_NODEID"));
    if (!found.local_size && tasks != nullptr && node) found.local_size = tasks_on_node(tasks, *node);
  }
  if (torchrun) {
    if (!found.rank) found.rank = number(get("RANK"));
    if (!found.size) found.size = number(get("WORLD_SIZE"));
    if (!found.local_rank) found.local_rank = number(get("LOCAL_RANK"));
    if (!found.local_size) found.local_size = number(get("LOCAL_WORLD_SIZE"));
  }
  return found;
}

int tasks_on_node(const std::string& list, int node) {
  std::istringstream groups(list);
  for (std::string group; std::getline(groups, group, ',');) {
    const std::size_t times = group.find("(x");
    node -= times == std::string::npos ? 1 : std::atoi(group.c_str() + times + 2);
    if (node < 0) return std::atoi(group.c_str());
  }
  return 1;
}

std::string engine_job(const Get& get) {
  if (const char* space = get("PMIX_NAMESPACE")) return space;
  const char* job = get("SLURM_JOB_ID");
  const char* step = get("SLURM_STEP_ID");
  return job == nullptr || step == nullptr ? "" : std::string(job) + "." + step;
}

LaunchEnvironment launch_environment() {
  return read_launch_environment([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace ringrun::mpi
