#include "launcher/job_hosts.hpp"

#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/named_hosts.hpp"

namespace ringrun {

HostList job_hosts(const LaunchRequest& request, const Environment&) {
  std::optional<HostList> hostfile;
  if (request.hostfile) hostfile = read_hostfile(*request.hostfile);
  return choose_hosts(hostfile, request.host_lists);
}

}  // namespace ringrun
