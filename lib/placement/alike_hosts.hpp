#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/placement/placement.hpp"

namespace ringrun {

/// A host whose ranks are to be placed. The machine and the GPUs are the caller's, who keeps them meanwhile.
struct UnplacedHost {
  const Machine* machine = nullptr;
  const std::vector<Gpu>* gpus = nullptr;
  int ranks = 0;
  PlacementPolicy policy;
  std::string name = {};
};

/// The placements of many hosts, in their order. Hosts that are alike are placed once and share the result: what it
/// costs grows with the number of hosts times that of kinds of hosts.
/// Throws UserError as resolve_placement does, naming the host.
std::vector<std::shared_ptr<const HostPlacement>> place_hosts(const std::vector<UnplacedHost>& hosts);

}  // namespace ringrun
