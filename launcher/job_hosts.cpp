#include "launcher/job_hosts.hpp"

#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/named_hosts.hpp"

namespace ringrun {

HostList job_hosts(const LaunchRequest& request, const Environment&) {
  std::optional<HostPool> hostfile;
  if (request.hostfile) hostfile = HostPool{read_hostfile(*request.hostfile), "the hostfile"};
  return choose_hosts(hostfile, request.host_lists);
}

}  // namespace ringrun
