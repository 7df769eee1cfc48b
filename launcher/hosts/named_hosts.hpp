#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// The hosts that a command line names. `lists` are the values of -H, each "a,b:2,user@c:*,node[1-4]"; a host that
/// repeats adds one slot. With a hostfile the lists say which of its hosts, in which order, and with how many slots.
/// With neither: this host. Throws UserError.
HostList choose_hosts(const std::optional<HostList>& hostfile, const std::vector<std::string>& lists);

}  // namespace ringrun
