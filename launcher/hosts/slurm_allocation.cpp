#include "launcher/hosts/slurm_allocation.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "launcher/hosts/name_ranges.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

constexpr const char* kOrigin = "Slurm's allocation";
constexpr const char* kOutside =
    "start ringrun from salloc or sbatch, or outside of Slurm: env -u SLURM_JOB_ID -u SLURM_JOBID ringrun …";

std::optional<std::string> first_of(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto value = find_variable(environment, name)) return value;
  }
  return std::nullopt;
}

std::optional<long long> number(const std::optional<std::string>& text) {
  long long value = 0;
  if (!text) return std::nullopt;
  const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (code != std::errc{} || end != text->data() + text->size()) return std::nullopt;
  return value;
}

/// "2(x3),1" as 2, 2, 2, 1.
std::vector<int> expand_counts(const std::string& variable, const std::string& text) {
  constexpr long long kMost = 100'000;
  std::vector<int> counts;
  for (const std::string& part : split_list(text)) {
    const std::size_t times = part.find("(x");
    const bool repeated = times != std::string::npos && part.back() == ')';
    const auto count = number(part.substr(0, times));
    const auto repeat = repeated ? number(part.substr(times + 2, part.size() - times - 3)) : std::optional(1LL);
    if (!count || !repeat || *count < 0 || *count > kMost || *repeat < 1 || *repeat > kMost ||
        (times != std::string::npos && !repeated)) {
      throw UserError(variable + "='" + text + "' is not a list of counts as Slurm writes it, 2(x3),1", kOutside);
    }
    counts.insert(counts.end(), static_cast<std::size_t>(*repeat), static_cast<int>(*count));
  }
  return counts;
}

std::vector<std::string> expand_nodes(const std::string& list) try {
  std::vector<std::string> names;
  for (const std::string& pattern : split_list(list)) {
    std::vector<std::string> more = expand_name(pattern);
    names.insert(names.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  return names;
} catch (const UserError& error) {
  throw UserError(std::string("SLURM_JOB_NODELIST: ") + error.what(), kOutside);
}

/// Tasks of the step that ringrun is one of; 0 outside of steps. Batch scripts and salloc's shell on a node are steps
/// of their own, with numbers from the upper end.
long long tasks_of_step(const Environment& environment) {
  constexpr long long kFirstSpecialStep = 0xFFFFFFF0;
  const auto step = number(first_of(environment, {"SLURM_STEP_ID", "SLURM_STEPID"}));
  if (!step || *step >= kFirstSpecialStep) return 0;
  return number(find_variable(environment, "SLURM_STEP_NUM_TASKS")).value_or(1);
}

/// Within a step of one task (srun --pty bash) Slurm's counts are the step's, only the nodes and CPUs are the job's.
std::vector<int> counts_by_cpus(const Environment& environment) {
  const auto cpus = find_variable(environment, "SLURM_JOB_CPUS_PER_NODE");
  if (!cpus) return {};
  const auto each = number(find_variable(environment, "SLURM_CPUS_PER_TASK")).value_or(1);
  std::vector<int> counts = expand_counts("SLURM_JOB_CPUS_PER_NODE", *cpus);
  for (int& count : counts) count = std::max(1, count / static_cast<int>(std::max(1LL, each)));
  return counts;
}

std::string names_of(const SlurmAllocation& allocation) {
  constexpr std::size_t kShown = 8;
  std::string names;
  for (std::size_t i = 0; i < std::min(allocation.nodes.size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + allocation.nodes[i].name;
  }
  return allocation.nodes.size() > kShown ? names + ", …" : names;
}

}  // namespace

std::optional<SlurmAllocation> read_slurm_allocation(const Environment& environment) {
  const auto job = first_of(environment, {"SLURM_JOB_ID", "SLURM_JOBID"});
  const auto list = first_of(environment, {"SLURM_JOB_NODELIST", "SLURM_NODELIST"});
  if (!job || !list) return std::nullopt;
  const long long step_tasks = tasks_of_step(environment);
  if (step_tasks > 1) {
    throw UserError("srun started ringrun as one of " + std::to_string(step_tasks) +
                        " tasks, and each of them would start the whole job",
                    "start ringrun once: salloc -N2 --ntasks-per-node=8 ringrun PROGRAM, or as a line of a script for "
                    "sbatch; or leave ringrun out: srun --mpi=pmix PROGRAM");
  }
  SlurmAllocation allocation;
  allocation.job = *job;
  const std::vector<std::string> names = expand_nodes(*list);
  std::vector<int> counts;
  if (step_tasks == 1) {
    counts = counts_by_cpus(environment);
  } else if (const auto text = find_variable(environment, "SLURM_TASKS_PER_NODE")) {
    counts = expand_counts("SLURM_TASKS_PER_NODE", *text);
    allocation.tasks_said =
        first_of(environment, {"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE"}).has_value();
  }
  if (counts.empty()) counts.assign(names.size(), 1);
  if (counts.size() != names.size()) {
    throw UserError("Slurm's variables contradict each other: SLURM_JOB_NODELIST has " + std::to_string(names.size()) +
                        " nodes, the tasks are said for " + std::to_string(counts.size()),
                    kOutside);
  }
  for (std::size_t i = 0; i < names.size(); ++i) allocation.nodes.push_back({names[i], counts[i]});
  if (number(find_variable(environment, "SLURM_HET_SIZE")).value_or(1) > 1) {
    allocation.warnings.push_back("this Slurm job has several components; the hosts are those of its first");
  }
  return allocation;
}

HostList hosts_of(const SlurmAllocation& allocation) {
  HostList hosts;
  for (const auto& [name, tasks] : allocation.nodes) {
    Host host;
    host.name = name;
    (allocation.tasks_said ? host.slots : host.slots_without_gpus) = tasks;
    host.origin = kOrigin;
    hosts.push_back(std::move(host));
  }
  if (!hosts.empty()) hosts[0].warnings = allocation.warnings;
  return hosts;
}

HostList within_allocation(HostList hosts, const SlurmAllocation& allocation) {
  const HostList nodes = hosts_of(allocation);
  std::unordered_map<std::string, const Host*> by_name;
  for (const Host& node : nodes) by_name.emplace(node.name, &node);
  for (Host& host : hosts) {
    auto found = by_name.find(host.name);
    // Hostfiles have whole names, Slurm short ones as a rule.
    if (found == by_name.end()) found = by_name.find(host.name.substr(0, host.name.find('.')));
    if (found == by_name.end()) {
      throw UserError(
          host.origin + ": '" + host.name + "' is not in the allocation of Slurm's job " + allocation.job,
          "its nodes are " + names_of(allocation) + "; name those, or leave the hostfile off to use all of them");
    }
    host.name = found->second->name;
    host.cores_unless_said = false;
    if (host.slots) continue;
    host.slots = found->second->slots;
    host.slots_without_gpus = found->second->slots_without_gpus;
  }
  return hosts;
}

}  // namespace ringrun
