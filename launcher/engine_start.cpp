#include "launcher/engine_start.hpp"

#include <unistd.h>

#include <filesystem>

#include "launcher/engine_request.hpp"
#include "launcher/host_questions.hpp"
#include "launcher/hosts/name_ranges.hpp"
#include "launcher/preflight/port_shares.hpp"

namespace ringrun {
namespace {

/// Where the engine starts each program by itself, they are no business of the plan's.
void add_programs(JobPlan& plan, const LaunchContext& context, const Job& job) {
  if (context.programs.size() == 1 || context.engine.kind == EngineKind::openmpi4) return;
  int last = -1;
  for (std::size_t i = 0; i < context.programs.size(); ++i) {
    const JobProgram& program = context.programs[i];
    last += job.program_ranks[i];
    plan.programs.push_back({last, program.argv, program.working_directory, program.exports});
  }
}

}  // namespace

JobPlan launch_plan(const LaunchContext& context, const Job& job, const NetworkSettings& settings) {
  JobPlan plan = make_plan(context.request, job, context.exports, settings, context.environment);
  // Ranks may start in another folder.
  if (!plan.output.files.empty()) plan.output.files = (std::filesystem::path(context.cwd) / plan.output.files).string();
  add_programs(plan, context, job);
  // Beginnings of lines or files are not what a terminal's one line goes with.
  plan.shows_progress = context.is_worker() && plan.output == OutputStyle{} && isatty(STDERR_FILENO) != 0;
  if (context.engine.kind == EngineKind::slurm) {
    std::vector<std::string> names;
    for (const JobHost& host : job.hosts) names.push_back(host.host.name);
    plan.nodes = fold_names(names);
  }
  return plan;
}

EngineStart engine_start(const LaunchContext& context, const EngineCommand& command) {
  EngineStart start{command.argv, context.environment};
  for (const std::string& name : command.unset) start.environment.erase(name);
  for (const auto& [name, value] : command.set) start.environment.insert_or_assign(name, value);
  return start;
}

EngineStart renewed_start(const LaunchContext& context, Job job, const NetworkSettings& settings, int restart) {
  const JobHost& first = job.hosts.front();
  const bool is_said = said_master_port(first.host, said(context)) != 0;
  std::optional<PortRange> allowed;
  if (context.request.ports) allowed = share_ports(*context.request.ports).rendezvous;
  for (int start = 0; start < restart; ++start)
    job.plan.rendezvous.port = fresh_port(job.plan.rendezvous.port, is_said, first.answer.local, allowed);
  job.plan.restart = restart;
  return engine_start(context, engine_command(engine_request(context, job, settings), context.environment));
}

}  // namespace ringrun
