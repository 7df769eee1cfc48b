#include "launcher/engine/srun.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "launcher/engine/plan_variables.hpp"
#include "launcher/engine/slurm_variables.hpp"
#include "lib/error.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {
namespace {

constexpr const char* kMpirunCan = "leave it off, or start the job by mpirun: --engine openmpi";

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
  throw UserError(option + ": " + why + " (the job starts by srun)", kMpirunCan);
}

/// A node for every rank, in the order of ranks.
std::string node_of_each_rank(const EngineRequest& request) {
  std::string list;
  for (const int host : request.host_of_rank)
    list += (list.empty() ? "" : ",") + request.hosts[static_cast<std::size_t>(host)].name;
  return list;
}

std::string cpu_binding(const EngineRequest& request) {
  static const std::map<std::string, std::string> kWords = {
      {"none", "none"}, {"core", "cores"}, {"package", "sockets"}, {"numa", "ldoms"}, {"hwthread", "threads"}};
  const auto& bind_to = request.options.mapping.bind_to;
  if (!bind_to) return request.binds ? "none" : "";
  const auto word = kWords.find(*bind_to);
  if (word == kWords.end()) refuse("--bind-to " + *bind_to, "srun has no such binding");
  return word->second;
}

/// Of Open MPI's launcher, which has no part in such a job.
bool is_launcher_parameter(const std::string& name) {
  static constexpr std::array kFrameworks = {"plm",  "pls", "ras", "rmaps", "odls",  "routed", "grpcomm", "orte",
                                             "prte", "rml", "ess", "iof",   "filem", "state",  "errmgr"};
  const std::string framework = name.substr(0, name.find('_'));
  return std::find(kFrameworks.begin(), kFrameworks.end(), framework) != kFrameworks.end();
}

/// Where a copy of ringrun stands elsewhere on some nodes, a shell there chooses it.
std::vector<std::string> wrapper_words(const EngineRequest& request) {
  std::map<std::string, std::string> nodes_by_copy;
  for (std::size_t i = 0; i < request.staged.size(); ++i) {
    if (request.staged[i].empty()) continue;
    std::string& nodes = nodes_by_copy[request.staged[i]];
    nodes += (nodes.empty() ? "" : "|") + request.hosts[i].name;
  }
  if (nodes_by_copy.empty()) return {request.ringrun, "__rank", "--"};
  std::string script = "case $SLURMD_NODENAME in ";
  for (const auto& [copy, nodes] : nodes_by_copy) script += nodes + ") self=" + quote_for_shell(copy) + " ;; ";
  script += "*) self=" + quote_for_shell(request.ringrun) + " ;; esac; exec \"$self\" __rank -- \"$@\"";
  return {"/bin/sh", "-c", script, "ringrun"};
}

}  // namespace

EngineCommand srun_command(const EngineRequest& request, const Environment& environment) {
  const std::vector<std::string> options = option_words(EngineKind::slurm, request.options);
  if (request.host_of_rank.empty())
    refuse("--map-by " + request.options.mapping.by, "only Open MPI knows where ranks are");
  if (request.prefix) refuse("--prefix", "srun starts no daemon that it could be given to");
  EngineCommand command;
  const int ranks = std::accumulate(request.ranks.begin(), request.ranks.end(), 0);
  // Distribution "arbitrary" follows the list, and allows for other numbers than the allocation's, as overcommit does.
  // Agents may still be ending, so steps overlap. With -K alone srun ends the others when a rank fails.
  command.argv = {request.engine.path,
                  "--mpi=pmix",
                  "--kill-on-bad-exit=1",
                  "--job-name=" + request.run_id,
                  "--ntasks=" + std::to_string(ranks),
                  "--distribution=arbitrary",
                  "--nodelist=" + node_of_each_rank(request),
                  "--overlap",
                  "--overcommit",
                  "--mem=0",
                  "--disable-status",
                  "--quiet"};
  if (!request.options.standard_input) command.argv.push_back("--input=0");
  command.argv.insert(command.argv.end(), options.begin(), options.end());
  const std::string binding = cpu_binding(request);
  const auto& bind_to = request.options.mapping.bind_to;
  if (!request.engine.binds_tasks && bind_to.value_or("none") != "none") {
    refuse("--bind-to " + *bind_to, "this cluster binds no tasks, its TaskPlugin is task/none");
  }
  if (!binding.empty() && request.engine.binds_tasks) command.argv.push_back("--cpu-bind=" + binding);
  if (request.working_directory) command.argv.push_back("--chdir=" + *request.working_directory);
  const std::vector<std::string> wrapper = wrapper_words(request);
  command.argv.insert(command.argv.end(), wrapper.begin(), wrapper.end());
  command.argv.insert(command.argv.end(), request.program.begin(), request.program.end());

  for (const auto& [name, value] : request.parameters) {
    if (is_launcher_parameter(name)) refuse("--mca " + name, "it is a parameter of mpirun");
    const auto option = request.parameter_options.find(name);
    const bool pmix = option != request.parameter_options.end() && option->second == "--pmixmca";
    command.set.insert_or_assign((pmix ? "PMIX_MCA_" : "OMPI_MCA_") + name, value);
  }
  // srun carries its whole environment to the ranks. The wrapper sets these from the plan.
  for (const auto& [name, value] : request.exports.forwarded) command.set.insert_or_assign(name, value);
  for (const auto& [name, value] : request.exports.asked) command.set.insert_or_assign(name, value);
  command.set.erase("MASTER_ADDR");
  command.set.erase("MASTER_PORT");
  command.set.merge(plan_variables(request.plan));
  for (const char* name : kSrunOptions) {
    if (environment.count(name) != 0) command.unset.push_back(name);
  }
  return command;
}

}  // namespace ringrun
