#include "launcher/job_hosts.hpp"

#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/named_hosts.hpp"
#include "lib/host/host_name.hpp"

namespace ringrun {

HostList job_hosts(const LaunchRequest& request, const std::optional<SlurmAllocation>& allocation) {
  std::optional<HostPool> pool;
  if (request.hostfile) {
    pool = HostPool{read_hostfile(*request.hostfile), "the hostfile"};
    if (allocation) pool->hosts = within_allocation(std::move(pool->hosts), *allocation);
  } else if (allocation) {
    pool = HostPool{hosts_of(*allocation), "the allocation of Slurm's job " + allocation->job, host_name()};
  }
  return choose_hosts(pool, request.host_lists);
}

}  // namespace ringrun
