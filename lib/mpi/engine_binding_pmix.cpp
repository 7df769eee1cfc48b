#include <pmix.h>

#include <utility>

#include "lib/mpi/engine_binding.hpp"
#include "lib/mpi/pmix_connection.hpp"

namespace ringrun::mpi {
namespace {

/// What this process was told when it started: nobody is asked who might not answer.
std::string told(const pmix_proc_t& of, const char* key) {
  pmix_info_t only_here;
  PMIX_INFO_CONSTRUCT(&only_here);
  bool yes = true;
  PMIX_INFO_LOAD(&only_here, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  pmix_value_t* value = nullptr;
  std::string text;
  if (PMIx_Get(&of, key, &only_here, 1, &value) == PMIX_SUCCESS) {
    if (value->type == PMIX_STRING && value->data.string != nullptr) text = value->data.string;
    PMIX_VALUE_RELEASE(value);
  }
  PMIX_INFO_DESTRUCT(&only_here);
  return text;
}

}  // namespace

std::optional<EngineBinding> engine_binding() {
  // Of another library than MPI's, this would be a second connection of the same process, and its end the process's.
  if (PMIx_Initialized() == 0) return std::nullopt;
  const PmixConnection connection;
  if (!connection) return std::nullopt;
  pmix_proc_t job = connection.self();
  job.rank = PMIX_RANK_WILDCARD;
  EngineBinding binding{told(job, PMIX_BINDTO), told(job, PMIX_MAPBY), told(connection.self(), PMIX_CPUSET)};
  return binding.policy.empty() ? std::nullopt : std::optional(std::move(binding));
}

}  // namespace ringrun::mpi
