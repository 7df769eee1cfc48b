#include "launcher/engine_request.hpp"

#include "lib/error.hpp"

namespace ringrun {
namespace {

void add_hosts(EngineRequest& engine, const LaunchContext& context, const Job& job) {
  bool remote = false;
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    const JobHost& host = job.hosts[i];
    engine.hosts.push_back(host.host);
    engine.slots.push_back(host.slots);
    engine.ranks.push_back(host.ranks);
    engine.staged.push_back(host.answer.staged);
    if (host.answer.local) engine.own_host = static_cast<int>(i);
    remote = remote || !host.answer.local;
  }
  if (remote) engine.shell = context.shell;
  // A container on this host is entered without one, but the engine must ask for it all the same.
  if (remote && engine.shell.empty()) engine.shell = {"ssh"};
  engine.no_ssh = !remote && !find_on_path(context.environment, "ssh") && !find_on_path(context.environment, "rsh");
  if (job.certain) engine.host_of_rank = job.host_of_rank;
  const std::optional<int>& said = context.programs[0].ranks;
  engine.size = job.certain ? static_cast<int>(job.host_of_rank.size()) : said;
}

void add_programs(EngineRequest& engine, const LaunchContext& context, const Job& job) {
  const std::vector<JobProgram>& programs = context.programs;
  if (programs.size() == 1) {
    engine.program = programs[0].argv;
    engine.working_directory = programs[0].working_directory;
    return;
  }
  // The wrapper chooses the program by the rank; what -x says is each program's own.
  if (engine.engine.kind != EngineKind::openmpi4) {
    if (!job.certain) {
      throw UserError("several programs with this mapping: only the engine knows which rank would be where",
                      "map by slot, node or ppr:N:node");
    }
    engine.exports.asked.clear();
    return;
  }
  bool any_named = false;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    EngineProgram& added = engine.programs.emplace_back();
    added.ranks = job.certain ? job.program_ranks[i] : programs[i].ranks;
    added.hosts = job.program_hosts[i];
    added.working_directory = programs[i].working_directory;
    added.exports = programs[i].exports;
    added.argv = programs[i].argv;
    any_named = any_named || !added.hosts.empty();
  }
  if (any_named) return;
  for (std::size_t host = 0; host < engine.hosts.size(); ++host)
    engine.programs[0].hosts.push_back({static_cast<int>(host), engine.slots[host]});
}

}  // namespace

EngineRequest engine_request(const LaunchContext& context, const Job& job, const NetworkSettings& settings) {
  const LaunchRequest& request = context.request;
  EngineRequest engine;
  engine.ringrun = context.ringrun;
  engine.engine = context.engine;
  engine.exports = context.exports;
  add_hosts(engine, context, job);
  add_programs(engine, context, job);
  engine.in_allocation = context.allocation.has_value();
  engine.binds = job.binds;
  engine.in_list_order = job.in_list_order;
  engine.oversubscribed = job.oversubscribed;
  engine.allow_run_as_root = request.allow_run_as_root;
  engine.options = request.engine_options;
  // Then ringrun keeps within it, and the engine would report that it bound nothing.
  if (job.binds) {
    engine.options.mapping.cpu_set.reset();
    std::erase(engine.options.display, "bind");
  }
  engine.prefix = request.prefix;
  engine.parameters = settings.parameters;
  engine.parameters.insert(engine.parameters.end(), request.parameters.begin(), request.parameters.end());
  engine.parameter_options = request.parameter_options;
  engine.plan = to_json(job.plan);
  engine.run_id = job.plan.rendezvous.run_id;
  engine.dropped = context.dropped;
  return engine;
}

}  // namespace ringrun
