#include "launcher/hosts/slots.hpp"

#include <algorithm>
#include <numeric>

#include "lib/error.hpp"

namespace ringrun {
namespace {

// No host runs so many; mpirun 4.1 breaks down at 20,000.
std::vector<int> checked(const HostList& hosts, const std::vector<int>& shares) {
  constexpr int kMostRanks = 8192;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] <= kMostRanks) continue;
    throw UserError(std::to_string(shares[i]) + " ranks on " + hosts[i].name + " are more than one host can run (" +
                        std::to_string(kMostRanks) + ")",
                    "say how many with -np, or lower slots=");
  }
  return shares;
}

std::string too_many(const HostList& hosts, const std::vector<int>& slots, int ranks) {
  const int have = std::accumulate(slots.begin(), slots.end(), 0);
  constexpr std::size_t kShown = 16;
  std::string names;
  for (std::size_t i = 0; i < std::min(hosts.size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + hosts[i].name + " " + std::to_string(slots[i]);
  }
  if (hosts.size() > kShown) names += ", and " + std::to_string(hosts.size() - kShown) + " more hosts";
  return "-np " + std::to_string(ranks) + " wants " + std::to_string(ranks) + " slots, the hosts have " +
         std::to_string(have) + ": " + names;
}

}  // namespace

void reject_too_many_ranks(const HostList& hosts, const std::vector<int>& slots, int ranks) {
  throw UserError(too_many(hosts, slots, ranks),
                  "say more with slots=N in the hostfile or -H HOST:N, add hosts, or allow it with --oversubscribe");
}

void reject_more_ranks_than_gpus(const HostList& hosts, const std::vector<int>& slots, int ranks) {
  throw UserError(too_many(hosts, slots, ranks),
                  "each GPU is a slot: start fewer ranks, add hosts, or let ranks share GPUs: --share-gpu");
}

std::vector<int> resolve_slots(const HostList& hosts, const std::vector<HostCapacity>& capacities, bool sweep) {
  const bool any_gpu =
      std::any_of(capacities.begin(), capacities.end(), [](const HostCapacity& c) { return c.gpus > 0; });
  std::vector<int> slots;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    int count = 1;
    if (hosts[i].slots) {
      count = *hosts[i].slots;
    } else if (capacities[i].gpus > 0) {
      count = hosts[i].slots_with_gpus.value_or(capacities[i].gpus);
    } else if (!(sweep && !any_gpu)) {
      const int unsaid = hosts[i].cores_unless_said ? std::max(capacities[i].cores, 1) : 1;
      count = hosts[i].slots_without_gpus.value_or(unsaid);
    }
    slots.push_back(count);
  }
  return slots;
}

std::vector<int> share_ranks(const HostList& hosts, const std::vector<int>& slots, int ranks, bool oversubscribe) {
  const int have = std::accumulate(slots.begin(), slots.end(), 0);
  if (ranks == 0) return checked(hosts, slots);
  if (ranks > have && !oversubscribe) reject_too_many_ranks(hosts, slots, ranks);
  std::vector<int> shares;
  int left = ranks;
  for (const int count : slots) {
    shares.push_back(std::min(count, left));
    left -= shares.back();
  }
  for (std::size_t i = 0; i < shares.size() && left > 0; ++i) {
    const int hosts_left = static_cast<int>(shares.size() - i);
    const int more = (left + hosts_left - 1) / hosts_left;
    shares[i] += more;
    left -= more;
    if (hosts[i].max_slots && shares[i] > *hosts[i].max_slots) {
      throw UserError("-np " + std::to_string(ranks) + " puts " + std::to_string(shares[i]) + " ranks on " +
                          hosts[i].name + ", whose max_slots is " + std::to_string(*hosts[i].max_slots) + " (" +
                          hosts[i].origin + ")",
                      "ask for fewer ranks, add hosts, or raise max_slots");
    }
  }
  return checked(hosts, shares);
}

}  // namespace ringrun
