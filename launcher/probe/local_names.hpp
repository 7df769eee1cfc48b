#pragma once

#include <string>
#include <vector>

namespace ringrun {

/// What a name means on this host. `address` is a numeric address, "" where the name does not resolve here (an alias of
/// the ssh configuration, say).
struct ResolvedName {
  bool local = false;
  std::string address;
};

/// A name is local where it is this host's own or resolves to an address of one of its interfaces, which is Open MPI's
/// rule: 127.0.0.2 is not local. Names are resolved side by side, all within about five seconds;
/// without name server only by /etc/hosts and as addresses.
std::vector<ResolvedName> resolve_names(const std::vector<std::string>& names, bool by_name_server);

}  // namespace ringrun
