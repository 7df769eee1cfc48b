#pragma once

#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/engine/exports.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/probe/probe.hpp"
#include "lib/placement/job_plan.hpp"
#include "lib/placement/placement.hpp"

namespace ringrun {

/// A host that gets ranks, in rank order.
struct JobHost {
  Host host;
  HostAnswer answer;
  int ranks = 0;
  /// Those of the host's GPUs that the job uses.
  std::vector<Gpu> gpus;
  std::vector<RankPlacement> placements;
};

/// Everything decided: what starts where.
struct Job {
  std::vector<JobHost> hosts;
  JobPlan plan;
  /// Some host's ranks are bound by ringrun.
  bool binds = false;
  bool oversubscribed = false;
  std::vector<std::string> warnings;
};

/// Names that answer as one host become one: the first name stays, said slots add up. Throws UserError where their
/// attributes contradict each other.
void merge_same_hosts(HostList& hosts, std::vector<HostAnswer>& answers);

/// Throws ProgramError where a host lacks the program, UserError for too many ranks or GPUs that a host does not have.
Job make_job(const LaunchRequest& request, HostList hosts, std::vector<HostAnswer> answers, const Exports& exports,
             const Environment& environment, const std::string& program);

}  // namespace ringrun
