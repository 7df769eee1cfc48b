#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// Hosts that -H chooses from; `name` is "the hostfile" or "Slurm's allocation", for messages.
struct HostPool {
  HostList hosts;
  std::string name;
  /// Which of them "localhost" means, "" for none but one of that name.
  std::string here = {};
};

/// The hosts that a command line names. `lists` are the values of -H, each "a,b:2,user@c:*,node[1-4]"; a host that
/// repeats adds one slot. With a pool the lists say which of its hosts, in which order, and with how many slots; then
/// "^a" leaves one out, "+n0" is the first and "+e" means all. Without lists: the pool, or this host. Hosts with no
/// slots are dropped. Throws UserError.
HostList choose_hosts(const std::optional<HostPool>& pool, const std::vector<std::string>& lists);

}  // namespace ringrun
