#include "launcher/job/gpu_slots.hpp"

#include <algorithm>
#include <numeric>

#include "launcher/job/ranks_on_objects.hpp"
#include "launcher/preflight/survey.hpp"
#include "lib/error.hpp"

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

/// The ranks together of the programs that want GPUs, where each says its own and all are on the job's hosts.
std::optional<int> ranks_of_all(const std::vector<JobProgram>& programs, const std::vector<bool>& sees_gpu) {
  int ranks = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const bool own_hosts = programs.size() > 1 && !programs[i].hosts.empty();
    if (!programs[i].ranks || own_hosts) return std::nullopt;
    if (sees_gpu[i]) ranks += *programs[i].ranks;
  }
  return ranks;
}

int ranks_without_gpus(const std::vector<JobProgram>& programs, const std::vector<bool>& sees_gpu) {
  int ranks = 0;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!sees_gpu[i]) ranks += programs[i].ranks.value_or(0);
  }
  return ranks;
}

bool talks_over_mpi(const JobRequest& request) {
  return request.launch.transport == Transport::mpi ||
         std::all_of(request.programs.begin(), request.programs.end(),
                     [](const JobProgram& program) { return is_told_to_use_mpi(program.argv); });
}

/// A GPU has a slot for each of the ranks that share it. Not by --oversubscribe, which goes beyond the slots.
bool shares_slots(const JobRequest& request) { return is_said(request) || talks_over_mpi(request); }

}  // namespace

bool may_share_gpus(const JobRequest& request) {
  const LaunchRequest& launch = request.launch;
  return launch.masquerade || request.mapping.mapping.oversubscribe || shares_slots(request);
}

std::vector<int> gpu_slots(const JobRequest& request, const std::vector<HostCapacity>& capacities,
                           const std::vector<bool>& sees_gpu, std::vector<int> slots) {
  const Mapping& mapping = request.mapping.mapping;
  if (mapping.never_oversubscribe) return slots;
  const std::optional<int> wanted = ranks_of_all(request.programs, sees_gpu);
  const std::vector<int> on_objects = ranks_on_objects(request);
  const int on_node = ranks_per_node(mapping);
  bool any_each = false;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const int on_each = std::max(on_node, on_objects[i]);
    any_each = any_each || on_each > 0;
    if (on_each <= slots[i] || !slots_are_gpus(request.hosts[i], capacities[i])) continue;
    if (!wanted && !may_share_gpus(request)) {
      const UserError error = too_few_gpus(static_cast<std::size_t>(on_each), static_cast<std::size_t>(slots[i]));
      throw UserError(request.hosts[i].name + ": " + error.what(), error.remedy());
    }
    if (shares_slots(request)) slots[i] = on_each;
  }
  if (!wanted || any_each) return slots;
  HostList hosts;
  std::vector<std::size_t> places;
  std::vector<int> gpus;
  int ranks = *wanted;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (!slots_are_gpus(request.hosts[i], capacities[i])) {
      ranks -= slots[i];
      continue;
    }
    hosts.push_back(request.hosts[i]);
    places.push_back(i);
    gpus.push_back(slots[i]);
  }
  // On one host it is clear where those are that want no GPU.
  if (slots.size() == 1 && !hosts.empty()) slots[0] += ranks_without_gpus(request.programs, sees_gpu);
  if (hosts.empty() || ranks <= std::accumulate(gpus.begin(), gpus.end(), 0)) return slots;
  if (!may_share_gpus(request)) reject_more_ranks_than_gpus(request.hosts, slots, *wanted);
  if (!shares_slots(request)) return slots;
  const std::vector<int> shares = share_ranks(hosts, gpus, ranks, true);
  for (std::size_t i = 0; i < places.size(); ++i) slots[places[i]] += shares[i] - gpus[i];
  return slots;
}

}  // namespace ringrun
