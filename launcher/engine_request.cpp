#include "launcher/engine_request.hpp"

namespace ringrun {

EngineRequest engine_request(const LaunchContext& context, const Job& job, const NetworkSettings& settings) {
  const LaunchRequest& request = context.request;
  EngineRequest engine;
  engine.ringrun = context.ringrun;
  engine.engine = context.engine;
  bool remote = false;
  for (std::size_t i = 0; i < job.hosts.size(); ++i) {
    engine.hosts.push_back(job.hosts[i].host);
    engine.ranks.push_back(job.hosts[i].ranks);
    engine.staged.push_back(job.hosts[i].answer.staged);
    if (job.hosts[i].answer.local) engine.own_host = static_cast<int>(i);
    remote = remote || !job.hosts[i].answer.local;
  }
  if (remote) engine.shell = context.shell;
  engine.no_ssh = !remote && !find_on_path(context.environment, "ssh") && !find_on_path(context.environment, "rsh");
  engine.in_allocation = context.allocation.has_value();
  engine.binds = job.binds;
  engine.oversubscribed = job.oversubscribed;
  engine.oversubscribe = request.oversubscribe;
  engine.allow_run_as_root = request.allow_run_as_root;
  engine.bind_to = request.bind_to;
  engine.working_directory = request.working_directory;
  engine.prefix = request.prefix;
  engine.parameters = settings.parameters;
  engine.parameters.insert(engine.parameters.end(), request.parameters.begin(), request.parameters.end());
  engine.exports = context.exports;
  engine.plan = to_json(job.plan);
  engine.program = context.program;
  return engine;
}

}  // namespace ringrun
