#pragma once

#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// What a host has to offer.
struct HostCapacity {
  int gpus = 0;
  int cores = 0;
};

/// A host by its place in a list, and how many slots it has for somebody.
struct HostSlots {
  int host = 0;
  int slots = 0;
};

/// Slots of each host. Unsaid: its GPUs; without GPUs its cores or one, as the host was named; for the sweep, where no
/// host has a GPU, one.
std::vector<int> resolve_slots(const HostList& hosts, const std::vector<HostCapacity>& capacities, bool sweep);

/// Ranks of each host, filled in order; `ranks` 0 means every slot. Throws UserError where there are more ranks than
/// slots and `oversubscribe` is false; otherwise what is left over is spread evenly.
std::vector<int> share_ranks(const HostList& hosts, const std::vector<int>& slots, int ranks, bool oversubscribe);

/// Throws the UserError of more ranks than slots.
[[noreturn]] void reject_too_many_ranks(const HostList& hosts, const std::vector<int>& slots, int ranks);

/// Likewise where the slots are the hosts' GPUs.
[[noreturn]] void reject_more_ranks_than_gpus(const HostList& hosts, const std::vector<int>& slots, int ranks);

}  // namespace ringrun
