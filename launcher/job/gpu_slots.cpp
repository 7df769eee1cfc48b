#include "launcher/job/gpu_slots.hpp"

#include <algorithm>
#include <numeric>

#include "launcher/preflight/survey.hpp"

namespace ringrun {
namespace {

bool is_said(const JobRequest& request) {
  if (request.launch.share_gpu) return true;
  return std::any_of(request.programs.begin(), request.programs.end(), [](const JobProgram& program) {
    return std::find(program.argv.begin(), program.argv.end(), kShareGpu) != program.argv.end();
  });
}

bool slots_are_gpus(const Host& host, const HostCapacity& capacity) {
  return capacity.gpus > 0 && !host.slots && !host.slots_with_gpus;
}

}  // namespace

bool may_share_gpus(const JobRequest& request) {
  const LaunchRequest& launch = request.launch;
  if (launch.masquerade || launch.transport == Transport::mpi || request.mapping.mapping.oversubscribe) return true;
  return is_said(request) || std::all_of(request.programs.begin(), request.programs.end(),
                                         [](const JobProgram& program) { return is_told_to_use_mpi(program.argv); });
}

std::vector<int> gpu_slots(const JobRequest& request, const std::vector<HostCapacity>& capacities,
                           std::vector<int> slots) {
  const Mapping& mapping = request.mapping.mapping;
  if (request.programs.size() != 1 || mapping.never_oversubscribe) return slots;
  const int on_each = ranks_per_node(mapping);
  for (std::size_t i = 0; is_said(request) && i < slots.size(); ++i) {
    if (slots_are_gpus(request.hosts[i], capacities[i])) slots[i] = std::max(slots[i], on_each);
  }
  if (!request.launch.ranks || on_each > 0) return slots;
  HostList hosts;
  std::vector<std::size_t> places;
  std::vector<int> gpus;
  int ranks = *request.launch.ranks;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots_are_gpus(request.hosts[i], capacities[i])) {
      ranks -= slots[i];
      continue;
    }
    hosts.push_back(request.hosts[i]);
    places.push_back(i);
    gpus.push_back(slots[i]);
  }
  if (hosts.empty() || ranks <= std::accumulate(gpus.begin(), gpus.end(), 0)) return slots;
  if (!may_share_gpus(request)) reject_more_ranks_than_gpus(request.hosts, slots, *request.launch.ranks);
  if (!is_said(request)) return slots;
  const std::vector<int> shares = share_ranks(hosts, gpus, ranks, true);
  for (std::size_t i = 0; i < places.size(); ++i) slots[places[i]] = shares[i];
  return slots;
}

}  // namespace ringrun
