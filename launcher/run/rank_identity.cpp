#include "launcher/run/rank_identity.hpp"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "launcher/engine/host_directory.hpp"
#include "lib/error.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

int number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) {
    throw UserError(std::string("ringrun __rank: ") + variable + " is not set",
                    "it is started by the engine of a ringrun job");
  }
  int value = 0;
  const auto [end, code] = std::from_chars(text, text + std::strlen(text), value);
  if (code != std::errc{} || *end != '\0' || value < 0) {
    throw UserError(std::string("ringrun __rank: ") + variable + "='" + text + "' is not a number");
  }
  return value;
}

const PlanRow* find_row(const JobPlan& plan, const RankIdentity& identity) {
  const auto& rows = class_of(plan, identity.host).rows;
  const auto index = static_cast<std::size_t>(identity.local_rank);
  return index < rows.size() ? &rows[index] : nullptr;
}

}  // namespace

RankIdentity read_rank_identity() {
  return {number("OMPI_COMM_WORLD_RANK"), number("OMPI_COMM_WORLD_SIZE"), number("OMPI_COMM_WORLD_LOCAL_RANK"),
          number("OMPI_COMM_WORLD_LOCAL_SIZE"), number(kHostVariable)};
}

void set_rank_environment(const JobPlan& plan, const RankIdentity& identity) {
  for (const auto& [name, value] : rank_environment(plan, identity)) setenv(name.c_str(), value.c_str(), 1);
  for (const auto& [name, value] : class_of(plan, identity.host).defaults) setenv(name.c_str(), value.c_str(), 0);
  for (const char* name : {kPlanVariable, kHostVariable, kHostsVariable}) unsetenv(name);
}

void bind_rank(const JobPlan& plan, const RankIdentity& identity) {
  const PlanRow* row = find_row(plan, identity);
  if (row == nullptr || row->cpus.empty()) return;
  const std::vector<int> cpus = parse_cpu_list(row->cpus);
  int most = 0;
  for (const int cpu : cpus) most = std::max(most, cpu);
  cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(most) + 1);
  const std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(most) + 1);
  CPU_ZERO_S(size, set);
  for (const int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
  const int status = sched_setaffinity(0, size, set);
  const int code = errno;
  CPU_FREE(set);
  if (status != 0) throw SystemError("sched_setaffinity to " + row->cpus, std::strerror(code), code);
}

std::string gpu_name(const JobPlan& plan, const RankIdentity& identity) {
  const PlanRow* row = find_row(plan, identity);
  return row == nullptr || row->gpu < 0 ? "" : "GPU " + std::to_string(row->gpu);
}

}  // namespace ringrun
