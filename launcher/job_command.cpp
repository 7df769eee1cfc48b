#include "launcher/job_command.hpp"

#include "launcher/request_checks.hpp"

namespace ringrun {

JobCommand job_command(const LaunchContext& context, const Job& job, EngineStart start) {
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
  for (const JobHost& host : job.hosts) {
    StartedHost started{host.host.name, {}, host.ranks, host.answer.local};
    if (!host.answer.address.empty()) started.addresses.push_back(host.answer.address);
    for (const Interface& interface : host.answer.facts.interfaces) {
      for (const auto& address : interface.ipv4) started.addresses.push_back(address.ip);
    }
    command.hosts.push_back(std::move(started));
  }
  command.run_id = job.plan.rendezvous.run_id;
  return command;
}

}  // namespace ringrun
