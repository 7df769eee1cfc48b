#include "launcher/job/rank_cards.hpp"

#include <algorithm>

#include "launcher/preflight/adapters.hpp"
#include "lib/net/nccl_interface.hpp"
#include "lib/placement/near_cards.hpp"

namespace ringrun {
namespace {

const CardPlace* place_of(const RankPlacement& rank, const JobHost& host) {
  if (rank.gpu < 0) return nullptr;
  return find_gpu_place(host.answer.facts.machine, host.gpus[static_cast<std::size_t>(rank.gpu)].bus_id);
}

}  // namespace

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
      const CardPlace* place = place_of(rank, host);
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

namespace {

std::optional<std::string> said_of(const Host& host, const Exports& exports, const std::string& name) {
  if (auto asked = find_variable(exports.asked, name)) return asked;
  if (auto own = find_variable(host.attributes.environment, name)) return own;
  return find_variable(exports.forwarded, name);
}

bool is_taken(const NetworkCard& card, const std::string& value) {
  if (!card.hca) return takes_interface(value, card.name);
  InfinibandDevice device;
  device.name = card.name;
  return takes_adapter(value, {device});
}

/// The names of the cards that a variable of NCCL's allows.
std::vector<std::string> taken_cards(const Machine& machine, bool hca, const std::string& value) {
  std::vector<std::string> names;
  for (const NetworkCard& card : machine.cards) {
    if (card.hca == hca && is_taken(card, value)) names.push_back(card.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> name_said_cards(Job& job, const Exports& exports) {
  std::vector<std::string> warnings;
  for (JobHost& host : job.hosts) {
    const Machine& machine = host.answer.facts.machine;
    for (const bool hca : {false, true}) {
      const std::string variable = hca ? "NCCL_IB_HCA" : "NCCL_SOCKET_IFNAME";
      const auto value = said_of(host.host, exports, variable);
      if (!value) continue;
      const std::vector<std::string> names = taken_cards(machine, hca, *value);
      const std::string warning = variable + "=" + *value + " allows no card that the file shows" +
                                  (hca ? "" : " (bonds, bridges and VLANs are in no topology)");
      const bool said = std::find(warnings.begin(), warnings.end(), warning) != warnings.end();
      if (names.empty() && !said) warnings.push_back(warning);
      for (RankPlacement& rank : host.placements) {
        std::vector<std::string>& cards = hca ? rank.hcas : rank.nics;
        cards.clear();
        if (!names.empty()) cards = nearest_cards(machine, place_of(rank, host), hca, names);
      }
    }
  }
  return warnings;
}

}  // namespace ringrun
