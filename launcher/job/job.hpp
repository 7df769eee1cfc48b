#pragma once

#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/engine/exports.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/preflight/network_settings.hpp"
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

/// Which hosts get how many ranks, and where they run; the plan is still empty. Throws ProgramError where a host lacks
/// the program, UserError for too many ranks or GPUs that a host does not have.
Job allot_ranks(const LaunchRequest& request, HostList hosts, std::vector<HostAnswer> answers,
                const std::string& program);

/// The plan for the job's hosts, with what the network wants of them: settings.environment has an entry for each.
JobPlan make_plan(const LaunchRequest& request, const Job& job, const Exports& exports, const NetworkSettings& settings,
                  const Environment& environment);

}  // namespace ringrun
