// How a process joins the others of its job and group, through MPI or NCCL.
#include <fmt/format.h>

#include <cstdlib>

#include "lib/host/host_name.hpp"
#include "worker/backend/mpi_collective.hpp"
#include "worker/cli/shared_settings.hpp"
#include "worker/process.hpp"

namespace ringrun::worker {

/// Operations of different sizes or kinds would write beyond each other's buffers.
std::optional<UserError> Process::refusal_of_different_options() {
  const auto phase = watch_.enter("exchange of the options", options_.init_timeout);
  const std::vector<std::string> hosts = team_.gather(host_name());
  if (const auto difference = difference_of(team_.gather(shared_settings(options_)), hosts))
    return UserError(*difference, "start the same worker with the same options as every rank");
  return std::nullopt;
}

std::unique_ptr<Collective> Process::join(const GpuLibrary& library) {
  if (!decision_.nccl) {
    if (!team_.in_group()) return nullptr;
    return make_mpi_collective(
        {static_cast<std::size_t>(options_.largest), options_.misalignment, team_.group_communicator()});
  }
  name_host_for_nccl();
  if (options_.plan.expects) library.backend->listen();
  std::string id;
  {
    const auto phase = watch_.enter("broadcast of NCCL's id", options_.init_timeout);
    if (team_.in_group()) id = team_.broadcast(team_.leads_group() ? library.backend->make_unique_id() : "");
    // A broadcast may return before the others have it; NCCL would then wait where no deadline names anybody.
    team_.barrier();
  }
  const auto phase = watch_.enter("start of NCCL", options_.init_timeout);
  if (!team_.in_group()) return nullptr;
  return library.backend->join(id, gpu_placement(), gpu_settings());
}

/// NCCL refuses two ranks on one card of one host, and takes each for a host of its own where this says so.
void Process::name_host_for_nccl() const {
  if (decision_.shared_gpu) setenv("NCCL_HOSTID", fmt::format("{}-{}", host_name(), team_.process()).c_str(), 0);
}

GpuBackend::Placement Process::gpu_placement() const {
  const int ranks_here = options_.ranks_of_process();
  return {team_.group_processes() * ranks_here, team_.group_process() * ranks_here,
          decision_.devices.at(static_cast<std::size_t>(team_.process()))};
}

GpuBackend::Settings Process::gpu_settings() const {
  GpuBackend::Settings settings;
  settings.max_bytes = static_cast<std::size_t>(options_.largest);
  settings.misalignment = options_.misalignment;
  settings.threads = options_.threads;
  settings.parallel_init = options_.parallel_init;
  settings.registration = options_.registration;
  settings.cta_policy = options_.cta_policy;
  settings.null_stream = options_.null_stream;
  settings.checks_graphs = options_.plan.graph_launches > 0;
  return settings;
}

}  // namespace ringrun::worker
