#include "launcher/job/rank_cards.hpp"

#include "launcher/preflight/adapters.hpp"
#include "lib/placement/near_cards.hpp"

namespace ringrun {

void name_cards(Job& job, const Situation& situation) {
  if (situation.reach.empty()) return;
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    const HostView& view = situation.hosts[i];
    const HostNetwork& network = situation.network.hosts[i];
    if (network.interfaces.empty()) continue;
    JobHost& host = job.hosts[i];
    std::vector<std::string> adapters;
    for (const InfinibandDevice& adapter : adapters_that_reach(view, network)) adapters.push_back(adapter.name);
    const Machine& machine = host.answer.facts.machine;
    for (RankPlacement& rank : host.placements) {
      const CardPlace* place =
          rank.gpu < 0 ? nullptr : find_gpu_place(machine, host.gpus[static_cast<std::size_t>(rank.gpu)].bus_id);
      rank.nics = nearest_cards(machine, place, false, network.interfaces);
      // With active ones of which nobody knows whether they lead there, NCCL tries them all.
      if (!has_active_adapter(view)) {
        rank.hcas.clear();
      } else {
        rank.hcas = nearest_cards(machine, place, true, adapters);
      }
    }
  }
}

}  // namespace ringrun
