#include "launcher/job_hosts.hpp"

#include <algorithm>
#include <map>

#include "launcher/hosts/host_line.hpp"
#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/name_ranges.hpp"
#include "launcher/hosts/named_hosts.hpp"
#include "lib/host/host_name.hpp"

namespace ringrun {
namespace {

/// Every name of -H; of a hostfile, and where the lists say it in another way (^a, +n0), the hosts' as their lines
/// stand.
std::vector<std::string> sequence_of(const std::vector<std::string>& lists, const HostList& hosts) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string& word : split_list(list)) {
      if (word.empty() || word[0] == '^' || word[0] == '+') continue;
      for (const std::string& name : expand_name(word.substr(word.find('@') + 1))) {
        const std::string bare = name.substr(0, name.find(':'));
        const bool known = std::any_of(hosts.begin(), hosts.end(), [&](const Host& host) { return host.name == bare; });
        if (known) names.push_back(bare);
      }
    }
  }
  if (!names.empty()) return names;
  std::multimap<int, std::string> by_line;
  for (const Host& host : hosts) {
    if (host.lines.empty()) names.push_back(host.name);
    for (const int line : host.lines) by_line.emplace(line, host.name);
  }
  for (const auto& [line, name] : by_line) names.push_back(name);
  return names;
}

}  // namespace

ProgramHosts program_hosts(const ProgramRequest& program, const std::optional<std::string>& default_hostfile,
                           const std::optional<SlurmAllocation>& allocation) {
  std::optional<HostPool> pool;
  const auto& hostfile = program.names_hosts() ? program.hostfile : default_hostfile;
  if (hostfile) {
    pool = HostPool{read_hostfile(*hostfile), "the hostfile"};
    if (allocation) pool->hosts = within_allocation(std::move(pool->hosts), *allocation);
  } else if (allocation) {
    pool = HostPool{hosts_of(*allocation), "the allocation of Slurm's job " + allocation->job, host_name()};
  }
  ProgramHosts result{choose_hosts(pool, program.host_lists), {}};
  result.sequence = sequence_of(program.host_lists, result.hosts);
  return result;
}

}  // namespace ringrun
