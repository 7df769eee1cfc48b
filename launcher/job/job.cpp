#include "launcher/job/job.hpp"

#include <algorithm>
#include <unordered_map>

#include "launcher/hosts/slots.hpp"
#include "launcher/job/rendezvous.hpp"
#include "launcher/launch_errors.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

std::vector<Gpu> chosen_gpus(const Host& host, const HostFacts& facts) {
  if (!host.attributes.gpus) return facts.gpus;
  std::vector<Gpu> chosen;
  for (const int index : *host.attributes.gpus) {
    const auto found =
        std::find_if(facts.gpus.begin(), facts.gpus.end(), [&](const Gpu& gpu) { return gpu.index == index; });
    if (found == facts.gpus.end()) {
      throw UserError(host.origin + ": 'gpus=" + format_cpu_list(*host.attributes.gpus) + "': " + host.name +
                          " has no GPU " + std::to_string(index) + ", it shows " + std::to_string(facts.gpus.size()),
                      facts.gpu_note.empty() ? "nvidia-smi -L lists them there" : facts.gpu_note);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

void check_program(const std::string& program, const HostList& hosts, const std::vector<HostAnswer>& answers) {
  std::string missing;
  std::string not_executable;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const ProgramState state = answers[i].facts.program.state;
    if (state == ProgramState::missing) missing += (missing.empty() ? "" : ", ") + hosts[i].name;
    if (state == ProgramState::not_executable) not_executable += (not_executable.empty() ? "" : ", ") + hosts[i].name;
  }
  if (!missing.empty()) {
    throw ProgramError(127, "the program " + program + " does not exist on " + missing,
                       "it must stand at the same path on every host");
  }
  if (!not_executable.empty()) {
    throw ProgramError(126, "the program " + program + " cannot be executed on " + not_executable,
                       "it must be a file that may be executed (chmod +x)");
  }
}

HostClass class_of_host(const JobHost& host, const Exports& exports,
                        const std::map<std::string, std::string>& network) {
  HostClass result;
  result.environment = network;
  for (const RankPlacement& rank : host.placements) {
    if (rank.gpu < 0) break;
    result.rows.push_back({host.gpus[static_cast<std::size_t>(rank.gpu)].index, format_cpu_list(rank.cpus)});
  }
  if (host.host.attributes.gpus) {
    // Written as the user did, since LOCAL_RANK counts the visible GPUs in this order.
    std::string visible;
    for (const Gpu& gpu : host.gpus) visible += (visible.empty() ? "" : ",") + std::to_string(gpu.index);
    result.environment["CUDA_VISIBLE_DEVICES"] = visible;
  }
  for (const auto& [name, value] : host.host.attributes.environment) {
    const bool rendezvous = name == "MASTER_ADDR" || name == "MASTER_PORT";
    if (!rendezvous && exports.asked.count(name) == 0) result.environment[name] = value;
  }
  if (!host.gpus.empty() && host.ranks > 1) result.defaults["OMP_NUM_THREADS"] = "1";
  return result;
}

}  // namespace

void merge_same_hosts(HostList& hosts, std::vector<HostAnswer>& answers) {
  std::unordered_map<std::string, std::size_t> first_with;
  HostList merged;
  std::vector<HostAnswer> merged_answers;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const auto [entry, first] = first_with.try_emplace(answers[i].facts.identity, merged.size());
    if (first) {
      merged.push_back(std::move(hosts[i]));
      merged_answers.push_back(std::move(answers[i]));
      continue;
    }
    Host& host = merged[entry->second];
    if (hosts[i].attributes != host.attributes) {
      throw UserError(host.name + " (" + host.origin + ") and " + hosts[i].name + " (" + hosts[i].origin +
                          ") are the same host with different attributes behind #:",
                      "name the host once");
    }
    if (host.slots || hosts[i].slots) host.slots = host.slots.value_or(0) + hosts[i].slots.value_or(0);
  }
  hosts = std::move(merged);
  answers = std::move(merged_answers);
}

Job allot_ranks(const LaunchRequest& request, HostList hosts, std::vector<HostAnswer> answers,
                const std::string& program) {
  check_program(program, hosts, answers);
  merge_same_hosts(hosts, answers);
  Job job;
  std::vector<HostCapacity> capacities;
  std::vector<std::vector<Gpu>> gpus;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    gpus.push_back(chosen_gpus(hosts[i], answers[i].facts));
    capacities.push_back({static_cast<int>(gpus[i].size()), core_count(answers[i].facts.machine)});
  }
  // One rank a host is what a sweep of host memory wants unasked; a number that was said needs the slots as they are.
  const std::vector<int> slots = resolve_slots(hosts, capacities, request.program.empty() && !request.ranks);
  const std::vector<int> ranks = share_ranks(hosts, slots, request.ranks.value_or(0), request.oversubscribe);
  PlacementPolicy policy;
  policy.bind = !request.bind_to;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (ranks[i] == 0) continue;
    const Machine& machine = answers[i].facts.machine;
    std::vector<RankPlacement> placements = resolve_placement(machine, gpus[i], ranks[i], policy).ranks;
    job.binds = job.binds || !placements[0].cpus.empty();
    job.oversubscribed = job.oversubscribed || ranks[i] > slots[i];
    if (!answers[i].facts.cwd_exists && request.working_directory) {
      throw UserError(
          "-wdir " + *request.working_directory + ": " + hosts[i].name + " has no such folder that can be entered",
          "name a folder that every host has");
    }
    if (!answers[i].facts.cwd_exists) {
      job.warnings.push_back(hosts[i].name + " does not have this working directory: its ranks start elsewhere");
    }
    job.hosts.push_back(
        {std::move(hosts[i]), std::move(answers[i]), ranks[i], std::move(gpus[i]), std::move(placements)});
  }
  return job;
}

JobPlan make_plan(const LaunchRequest& request, const Job& job, const Exports& exports, const NetworkSettings& settings,
                  const Environment& environment) {
  std::vector<HostClass> classes;
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    classes.push_back(class_of_host(job.hosts[i], exports, settings.environment[i]));
  }
  const JobHost& first = job.hosts.front();
  const Said said{exports, request.master_port, environment};
  return make_job_plan(
      classes, choose_rendezvous(first.host, first.answer, job.hosts.size() == 1, settings.master_address, said));
}

}  // namespace ringrun
