#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/net/interface.hpp"

namespace ringrun {

/// The interfaces that NCCL would take, in its order: `socket_ifname` is NCCL_SOCKET_IFNAME ("^" excludes, "=" is
/// exact, else beginnings of names; for the whole list), unset: NCCL's own order (ib*, then anything but docker, lo and
/// virbr, then docker, lo, virbr). Only interfaces that are up and have an address of `family` ("AF_INET", "AF_INET6"
/// or "" for both). Facts: NCCL's documentation of NCCL_SOCKET_IFNAME and its source's order of search.
std::vector<const Interface*> nccl_interfaces(const std::vector<Interface>& interfaces,
                                              const std::optional<std::string>& socket_ifname,
                                              const std::string& family = "");

/// Whether NCCL_SOCKET_IFNAME of this value lets NCCL use an interface of this name.
bool takes_interface(const std::string& socket_ifname, const std::string& name);

}  // namespace ringrun
