#include <algorithm>
#include <unordered_map>
#include <utility>

#include "launcher/hosts/slots.hpp"
#include "launcher/job/gpu_slots.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/program_gpus.hpp"
#include "launcher/job/ranks_on_objects.hpp"
#include "launcher/launch_errors.hpp"
#include "lib/host/program_facts.hpp"
#include "lib/host/visible_devices_note.hpp"
#include "lib/placement/alike_hosts.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

void check_program(const JobRequest& request, std::size_t index) {
  const HostList& hosts = request.hosts;
  const std::string& program = request.programs[index].argv[0];
  std::string missing;
  std::string not_executable;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const ProgramState state = program_facts(request.answers[i].facts, index).state;
    if (state == ProgramState::missing) missing += (missing.empty() ? "" : ", ") + hosts[i].name;
    if (state == ProgramState::not_executable) not_executable += (not_executable.empty() ? "" : ", ") + hosts[i].name;
  }
  if (!missing.empty()) {
    throw ProgramError(127, "the program " + program + " does not exist on " + missing,
                       "it must stand at the same path on every host; --preload-binary runs a copy of this host's");
  }
  if (!not_executable.empty()) {
    throw ProgramError(126, "the program " + program + " cannot be executed on " + not_executable,
                       "it must be a file that may be executed (chmod +x)");
  }
}

/// Where ringrun binds ranks unless somebody says otherwise.
bool may_bind(const JobRequest& request) {
  const Mapping& mapping = request.mapping.mapping;
  const bool said = mapping.bind_to || mapping.cpus_per_rank || mapping.hardware_threads || mapping.by == "rankfile" ||
                    mapping.by.rfind("pe-list", 0) == 0;
  return !said && !request.launch.masquerade;
}

/// Where ringrun binds, --cpu-set is its own to follow; then the engine hears nothing of it.
PlacementPolicy placement_policy(JobRequest& request, bool any_gpu) {
  PlacementPolicy policy;
  policy.share_gpu = may_share_gpus(request);
  policy.own_gpu_only = request.launch.own_gpu_only.value_or(false);
  auto& cpu_set = request.mapping.mapping.cpu_set;
  policy.bind = may_bind(request) && (any_gpu || !cpu_set);
  if (policy.bind && cpu_set) {
    policy.cpu_set = parse_cpu_list(*cpu_set);
    cpu_set.reset();
  }
  return policy;
}

std::unordered_map<std::string, int> places_by_name(const HostList& hosts, const std::vector<int>& places) {
  std::unordered_map<std::string, int> result;
  for (std::size_t i = 0; i < hosts.size(); ++i) result.emplace(hosts[i].name, places[i]);
  return result;
}

/// What is known of the hosts, one entry for each.
struct Capacities {
  std::vector<HostCapacity> hosts;
  std::vector<ProgramGpus> gpus;
  bool any_gpu = false;
};

/// The answers' GPUs move into the result.
Capacities read_capacities(JobRequest& request) {
  const bool threads = request.mapping.mapping.hardware_threads;
  Capacities result;
  for (std::size_t i = 0; i < request.hosts.size(); ++i) {
    HostFacts& facts = request.answers[i].facts;
    result.gpus.push_back(gpus_of_programs(chosen_gpus(request.hosts[i], facts), facts.more_gpus));
    const int gpus = static_cast<int>(result.gpus.back().all.size());
    const int counted = threads ? facts.cpuset_cpus : facts.cpuset_cores;
    const int cpus = counted > 0 ? counted : threads ? cpu_count(facts.machine) : core_count(facts.machine);
    result.hosts.push_back({request.launch.masquerade ? 0 : gpus, cpus});
    result.any_gpu = result.any_gpu || result.hosts.back().gpus > 0;
  }
  return result;
}

/// Whether a program sees a GPU on any host.
std::vector<bool> programs_with_gpus(const JobRequest& request, const Capacities& capacities) {
  std::vector<bool> sees(request.programs.size(), false);
  for (std::size_t i = 0; i < sees.size(); ++i) {
    sees[i] = std::any_of(capacities.gpus.begin(), capacities.gpus.end(), [&](const ProgramGpus& gpus) {
      return gpus.of_program.empty() ? !gpus.all.empty() : !gpus.of_program[i].empty();
    });
  }
  return sees;
}

/// The mapping puts ranks on objects inside a host.
bool maps_inside(const std::string& by) {
  if (by.rfind("ppr:", 0) == 0) return by.substr(by.rfind(':') + 1) != "node";
  return by == "package" || by == "numa" || by == "core" || by == "hwthread" || by == "l1cache" || by == "l2cache" ||
         by == "l3cache";
}

/// Of each program the hosts that its words name, with their slots. A program that is alone has the job's, whose slots
/// know what a sweep wants.
std::vector<std::vector<HostSlots>> hosts_of_programs(const JobRequest& request, const Capacities& capacities,
                                                      const std::unordered_map<std::string, int>& places) {
  if (request.programs.size() == 1) return {{}};
  std::vector<std::vector<HostSlots>> result;
  for (std::size_t i = 0; i < request.programs.size(); ++i) {
    std::vector<HostSlots> hosts;
    for (const Host& host : request.programs[i].hosts) {
      const int place = places.at(host.name);
      HostCapacity capacity = capacities.hosts[static_cast<std::size_t>(place)];
      const auto& own = capacities.gpus[static_cast<std::size_t>(place)].of_program;
      if (!own.empty() && capacity.gpus > 0) capacity.gpus = static_cast<int>(own[i].size());
      const int slots = resolve_slots({host}, {capacity}, false)[0];
      const auto same =
          std::find_if(hosts.begin(), hosts.end(), [&](const auto& other) { return other.host == place; });
      if (same == hosts.end()) {
        hosts.push_back({place, slots});
      } else {
        same->slots += slots;
      }
    }
    result.push_back(std::move(hosts));
  }
  return result;
}

LayoutRequest layout_request(const JobRequest& request, const Job& job, const std::vector<int>& slots,
                             const std::unordered_map<std::string, int>& places) {
  LayoutRequest layout;
  layout.mapping = request.mapping.mapping;
  layout.unknown = request.mapping.unknown;
  layout.rule = job.in_list_order || request.engine == EngineKind::slurm ? LayoutRule::list
                : request.engine == EngineKind::openmpi4                 ? LayoutRule::openmpi4
                                                                         : LayoutRule::openmpi5;
  layout.hosts = request.hosts;
  std::vector<HostSlots> all;
  for (std::size_t i = 0; i < request.hosts.size(); ++i) {
    all.push_back({static_cast<int>(i), slots[i]});
    if (!request.answers[i].local) continue;
    layout.own_host = static_cast<int>(i);
    layout.own_name = request.answers[i].facts.hostname;
  }
  layout.on_each = ranks_on_objects(request);
  for (std::size_t i = 0; i < request.programs.size(); ++i) {
    const JobProgram& program = request.programs[i];
    LayoutProgram& added = layout.programs.emplace_back();
    added.ranks = program.ranks.value_or(0);
    added.hosts = job.program_hosts[i].empty() ? all : job.program_hosts[i];
    for (const std::string& name : program.sequence) added.sequence.push_back(places.at(name));
  }
  if (layout.mapping.by == "rankfile") layout.rank_rows = read_rankfile(*layout.mapping.file);
  return layout;
}

void check_folder(const JobRequest& request, std::size_t host, Job& job) {
  if (request.answers[host].facts.cwd_exists) return;
  const std::string& name = request.hosts[host].name;
  if (request.launch.working_directory) {
    throw UserError(
        "-wdir " + *request.launch.working_directory + ": " + name + " has no such folder that can be entered",
        "name a folder that every host has");
  }
  job.warnings.push_back(name + " does not have this working directory: its ranks start elsewhere");
}

/// Hosts in the order of their first ranks, then those without ranks.
std::vector<int> order_of_hosts(const RankLayout& layout, std::size_t hosts) {
  std::vector<int> order;
  std::vector<bool> has(hosts, false);
  const auto add = [&](int host) {
    if (!has[static_cast<std::size_t>(host)]) order.push_back(host);
    has[static_cast<std::size_t>(host)] = true;
  };
  for (const int host : layout.host_of_rank) add(host);
  // Where only the engine knows, any of them may get some.
  for (int host = 0; !layout.certain && host < static_cast<int>(hosts); ++host) add(host);
  return order;
}

void renumber(std::vector<std::vector<HostSlots>>& programs, const std::vector<int>& new_places) {
  for (std::vector<HostSlots>& hosts : programs) {
    std::vector<HostSlots> kept;
    for (const HostSlots& host : hosts) {
      const int place = new_places[static_cast<std::size_t>(host.host)];
      if (place >= 0) kept.push_back({place, host.slots});
    }
    hosts = std::move(kept);
  }
}

/// The interface that the user names for the host; "" for none.
std::string said_interface(const LaunchRequest& launch, const Host& host) {
  for (const auto& [name, interface] : launch.nics) {
    if (name == host.name) return interface;
  }
  return host.attributes.nic.value_or("");
}

void place_ranks(Job& job, const LaunchRequest& launch, PlacementPolicy policy) {
  std::vector<UnplacedHost> unplaced;
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    const JobHost& host = job.hosts[i];
    policy.gpu_of_rank = gpu_of_each_rank(job, i);
    const std::string interface = said_interface(launch, host.host);
    policy.nics.clear();
    if (!interface.empty()) policy.nics = {interface};
    const int rows = job.certain ? host.ranks : std::max(host.ranks, static_cast<int>(host.gpus.size()));
    unplaced.push_back({&*host.answer.facts.machine, &host.gpus, rows, policy, host.host.name});
  }
  const auto placements = place_hosts(unplaced);
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    JobHost& host = job.hosts[i];
    host.placements = placements[i]->ranks;
    host.note = placements[i]->note;
    const std::string& gpu_note = host.answer.facts.gpu_note;
    if (is_mistaken(gpu_note) && !host.host.attributes.gpus) {
      job.warnings.push_back(host.host.name + ": " + gpu_note);
      host.note = gpu_note;
    }
    // Of hosts that are asked most have none, and are meant to.
    const bool of_file = gpu_note.rfind("the file ", 0) == 0;
    if (of_file && host.gpus.empty() && host.note.empty()) host.note = gpu_note;
    job.binds = job.binds || (!host.placements.empty() && !host.placements[0].cpus.empty());
  }
}

}  // namespace

Job allot_ranks(JobRequest request) {
  const std::vector<JobProgram>& programs = request.programs;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    if (!programs[i].argv.empty()) check_program(request, i);
  }
  const HostList named = request.hosts;
  const auto places =
      places_by_name(named, merge_same_hosts(request.hosts, request.answers, request.launch.masquerade));
  Capacities capacities = read_capacities(request);
  // One rank a host is what a sweep of host memory wants unasked; a number that was said needs the slots as they are.
  const LaunchRequest& launch = request.launch;
  std::vector<int> slots =
      resolve_slots(request.hosts, capacities.hosts, launch.program.empty() && !launch.ranks && !launch.masquerade);
  slots = gpu_slots(request, capacities.hosts, programs_with_gpus(request, capacities), std::move(slots));
  PlacementPolicy policy = placement_policy(request, capacities.any_gpu);
  Job job;
  job.in_list_order =
      capacities.any_gpu && programs.size() == 1 && !request.mapping.unknown && !request.mapping.mapping.says_where();
  job.program_hosts = hosts_of_programs(request, capacities, places);
  const RankLayout layout = lay_out_ranks(layout_request(request, job, slots, places));
  job.certain = layout.certain;
  job.program_ranks = layout.program_ranks;

  std::vector<int> new_places(request.hosts.size(), -1);
  std::vector<int> ranks(request.hosts.size(), 0);
  for (const int place : layout.host_of_rank) ++ranks[static_cast<std::size_t>(place)];
  const bool counts_there = !layout.certain && !policy.share_gpu;
  policy.share_gpu = policy.share_gpu || counts_there;
  for (const int place : order_of_hosts(layout, request.hosts.size())) {
    const auto i = static_cast<std::size_t>(place);
    new_places[i] = static_cast<int>(job.hosts.size());
    check_folder(request, i, job);
    JobHost host{
        std::move(request.hosts[i]), std::move(request.answers[i]), slots[i], 0, std::move(capacities.gpus[i].all), {}};
    host.gpus_of_program = std::move(capacities.gpus[i].of_program);
    if (counts_there) host.most_ranks = static_cast<int>(host.gpus.size());
    host.ranks = ranks[i];
    job.oversubscribed = job.oversubscribed || host.ranks > host.slots;
    job.hosts.push_back(std::move(host));
  }
  for (const int place : layout.host_of_rank) job.host_of_rank.push_back(new_places[static_cast<std::size_t>(place)]);
  place_ranks(job, launch, policy);
  const std::string& by = request.mapping.mapping.by;
  if (job.binds && maps_inside(by)) {
    job.warnings.push_back("--map-by " + by +
                           " says on which hosts ranks run; there each is bound next to its GPU (--bind-to " +
                           by.substr(by.rfind(':') + 1) + " leaves both to the engine)");
  }
  for (std::size_t i = 0; i < new_places.size(); ++i) {
    if (new_places[i] < 0)
      job.idle.push_back({std::move(request.hosts[i]),
                          std::move(request.answers[i]),
                          slots[i],
                          0,
                          std::move(capacities.gpus[i].all),
                          {}});
  }
  renumber(job.program_hosts, new_places);
  return job;
}

}  // namespace ringrun
