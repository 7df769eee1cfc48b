#include "lib/placement/alike_hosts.hpp"

#include <algorithm>

#include "lib/error.hpp"

namespace ringrun {
namespace {

/// Serial numbers and what a card does at the moment differ from host to host, and placement does not ask for them.
bool is_alike(const Gpu& a, const Gpu& b) {
  return a.index == b.index && a.bus_id == b.bus_id && a.mig == b.mig && (!a.mig || a.uuid == b.uuid);
}

bool is_alike(const UnplacedHost& a, const UnplacedHost& b) {
  return a.ranks == b.ranks && a.policy == b.policy &&
         std::equal(a.gpus->begin(), a.gpus->end(), b.gpus->begin(), b.gpus->end(),
                    [](const Gpu& x, const Gpu& y) { return is_alike(x, y); }) &&
         (a.machine == b.machine || *a.machine == *b.machine);
}

HostPlacement place(const UnplacedHost& host) try {
  return resolve_placement(*host.machine, *host.gpus, host.ranks, host.policy);
} catch (const UserError& error) {
  throw UserError(host.name + ": " + error.what(), error.remedy());
}

struct Kind {
  const UnplacedHost* example = nullptr;
  std::shared_ptr<const HostPlacement> placement;
};

}  // namespace

std::vector<std::shared_ptr<const HostPlacement>> place_hosts(const std::vector<UnplacedHost>& hosts) {
  std::vector<Kind> kinds;
  std::vector<std::shared_ptr<const HostPlacement>> placements;
  for (const UnplacedHost& host : hosts) {
    auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& item) { return is_alike(*item.example, host); });
    if (kind == kinds.end()) {
      kind = kinds.insert(kind, {&host, std::make_shared<HostPlacement>(place(host))});
    }
    placements.push_back(kind->placement);
  }
  return placements;
}

}  // namespace ringrun
