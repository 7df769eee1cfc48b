#include "launcher/job_command.hpp"

#include "launcher/cli/option_values.hpp"
#include "launcher/engine_start.hpp"
#include "launcher/request_checks.hpp"

namespace ringrun {

namespace {

/// As mpirun reads it: the option, else the variable; 0 is none.
std::optional<std::chrono::seconds> timeout_of(const LaunchContext& context) {
  // 0 is no limit, as for mpirun.
  if (context.request.timeout == 0) return std::nullopt;
  if (context.request.timeout) return std::chrono::seconds(*context.request.timeout);
  const auto text = find_variable(context.environment, "MPIEXEC_TIMEOUT");
  const int seconds = text ? whole_number("MPIEXEC_TIMEOUT", *text, 0) : 0;
  return seconds > 0 ? std::optional(std::chrono::seconds(seconds)) : std::nullopt;
}

std::vector<StartedHost> started_hosts(const Job& job) {
  std::vector<StartedHost> hosts;
  // Nobody knows which of them will start some.
  if (!job.certain) return hosts;
  for (const JobHost& host : job.hosts) {
    StartedHost& started = hosts.emplace_back();
    started.name = host.host.name;
    started.ranks = host.ranks;
    started.local = host.answer.local;
    if (!host.answer.address.empty()) started.addresses.push_back(host.answer.address);
    for (const Interface& interface : host.answer.facts.interfaces) {
      for (const auto& address : interface.ipv4) started.addresses.push_back(address.ip);
    }
  }
  return hosts;
}

}  // namespace

JobCommand job_command(const LaunchContext& context, const Job& job, const NetworkSettings& settings,
                       EngineStart start) {
  const LaunchRequest& request = context.request;
  JobCommand command;
  command.ringrun = context.ringrun;
  command.engine = context.engine.kind;
  command.keep_banners = request.verbose;
  command.ends_at_failure = ends_at_failure(request, start.environment);
  command.start = std::move(start);
  command.end_on_hang = request.end_on_hang.value_or(context.is_worker());
  command.hang_timeout = std::chrono::seconds(request.hang_timeout);
  command.start_timeout = std::chrono::seconds(request.start_timeout);
  command.timeout = timeout_of(context);
  command.hosts = started_hosts(job);
  command.daemon_ports = settings.daemon_ports;
  command.run_id = job.plan.rendezvous.run_id;
  command.max_restarts = request.max_restarts;
  command.renew = [&](int restart) { return renewed_start(context, job, settings, restart); };
  return command;
}

}  // namespace ringrun
