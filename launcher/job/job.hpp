#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/engine/engine.hpp"
#include "launcher/engine/exports.hpp"
#include "launcher/engine/mapping_parameters.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/job/job_program.hpp"
#include "launcher/job/rank_layout.hpp"
#include "launcher/preflight/network_settings.hpp"
#include "launcher/probe/probe.hpp"
#include "lib/placement/job_plan.hpp"
#include "lib/placement/placement.hpp"

namespace ringrun {

/// A host that gets ranks.
struct JobHost {
  Host host;
  HostAnswer answer;
  int slots = 0;
  int ranks = 0;
  /// Those of the host's GPUs that the job uses.
  std::vector<Gpu> gpus;
  std::vector<RankPlacement> placements;
  /// What a person should know of them; "" for nothing.
  std::string note = {};
  /// As in HostClass.
  int most_ranks = 0;
  /// Where its programs see different ones: places in `gpus`, for each program, in the order in which it sees them.
  std::vector<std::vector<int>> gpus_of_program = {};
};

/// Everything decided: what starts where.
struct Job {
  /// In the order of their first ranks.
  std::vector<JobHost> hosts;
  /// Those that get none.
  std::vector<JobHost> idle;
  /// Ranks of each program, and the host of each rank: its place in `hosts`.
  std::vector<int> program_ranks;
  std::vector<int> host_of_rank;
  /// False where only the engine knows where ranks run; then the numbers of ranks are a guess.
  bool certain = true;
  /// Hosts are filled in the order of the list; else the engine maps by its own rules.
  bool in_list_order = false;
  /// The hosts and slots of each program, as its words say them; empty for a program that says none.
  std::vector<std::vector<HostSlots>> program_hosts;
  JobPlan plan;
  /// Some host's ranks are bound by ringrun.
  bool binds = false;
  /// Some host has more ranks than slots.
  bool oversubscribed = false;
  std::vector<std::string> warnings;
};

/// Names that answer as one host become one: the first name stays, said slots add up. Returns the new place of each
/// host. Throws UserError where their attributes contradict each other.
std::vector<int> merge_same_hosts(HostList& hosts, std::vector<HostAnswer>& answers, bool names_are_slots);

/// What ranks are allotted from.
struct JobRequest {
  const LaunchRequest& launch;
  EngineKind engine = EngineKind::openmpi4;
  /// By options and parameters.
  SaidMapping mapping;
  HostList hosts;
  /// One for each host.
  std::vector<HostAnswer> answers;
  /// At least one.
  const std::vector<JobProgram>& programs;
};

/// Which hosts get how many ranks, and where they run; the plan is still empty. Throws ProgramError where a host lacks
/// the program, UserError for too many ranks or GPUs that a host does not have.
Job allot_ranks(JobRequest request);

/// The plan for the job's hosts, with what the network wants of them: settings.environment has an entry for each. The
/// programs are not in it.
JobPlan make_plan(const LaunchRequest& request, const Job& job, const Exports& exports, const NetworkSettings& settings,
                  const Environment& environment);

}  // namespace ringrun
