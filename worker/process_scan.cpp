// The scans of a process: rounds of groups, each with a communicator of its own.
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "lib/host/host_name.hpp"
#include "worker/backend/backend_limits.hpp"
#include "worker/process.hpp"
#include "worker/report/scan_report.hpp"

namespace ringrun::worker {
namespace {

constexpr double kSecondsOfPair = 1;  ///< in all passes
/// Enough for one iteration that is disturbed to be passed over.
constexpr int kFewestIterations = 3;

/// The ranks of every group that the scan has.
std::vector<int> group_sizes(ScanKind kind, const ScanNodes& nodes, int ranks_of_process) {
  std::vector<int> ranks(nodes.names.size(), 0);
  int all = 0;
  for (int node : nodes.node_of_process) {
    ranks[static_cast<std::size_t>(node)] += ranks_of_process;
    all += ranks_of_process;
  }
  std::vector<int> sizes;
  if (kind == ScanKind::kLeaveOneOut) sizes.push_back(all);
  for (std::size_t one = 0; one < ranks.size(); ++one) {
    if (kind == ScanKind::kLeaveOneOut) sizes.push_back(all - ranks[one]);
    for (std::size_t other = one + 1; kind != ScanKind::kLeaveOneOut && other < ranks.size(); ++other)
      sizes.push_back(ranks[one] + ranks[other]);
  }
  return sizes;
}

}  // namespace

int Process::scan(const GpuLibrary& library) {
  const ScanKind kind = *options_.scan;
  std::vector<int> leaders;
  std::vector<std::string> hosts;
  for (const ProcessFacts& process : facts_) {
    leaders.push_back(process.leader);
    hosts.push_back(short_host_name(process.host));
  }
  const ScanNodes nodes = scan_nodes(kind, leaders, hosts);
  if (const std::string why = refusal_of(kind, nodes); !why.empty())
    return refuse(Unsupported(why, "start it on more hosts, or scan the ranks: --scan pairs:ranks"));
  if (kind == ScanKind::kPairsOfRanks && options_.ranks_of_process() > 1)
    return refuse(Unsupported("--scan pairs:ranks, but each process has several GPUs",
                              "start a process for each GPU, without -t and -g, or scan the hosts: --scan pairs"));
  if (const auto refusal = refusal_by_groups(options_, group_sizes(kind, nodes, options_.ranks_of_process())))
    return refuse(*refusal);
  TableHead head = describe(library, options_, team_.processes() * options_.ranks_of_process());
  if (options_.reports_bindings) {
    for (std::string& line : bindings_of_all()) head.remarks.push_back(std::move(line));
  }
  if (is_first()) {
    scan_report_ = std::make_unique<ScanReport>(out_, options_, head, nodes);
    reporting_ = scan_report_.get();
  }
  try {
    run_scan(
        kind, nodes, [&](const Groups& groups) { return measure_round(library, groups); },
        [&](const ScanResult& result) {
          if (scan_report_) scan_report_->show(result);
        });
  } catch (const Unsupported& refused) {
    return refuse(refused);
  }
  if (scan_report_) scan_report_->finish();
  return leave(ExitCode::kSuccess);
}

/// Every process passes the same phases, also one that rests.
std::map<int, double> Process::measure_round(const GpuLibrary& library, const Groups& groups) {
  const SweepPlan& plan = options_.plan;
  {
    const auto phase = watch_.enter("split into the groups of a round", options_.init_timeout);
    team_.split(groups);
  }
  collective_ = join(library);
  const Operation operation = operation_of({plan.kind,
                                            plan.types.front(),
                                            plan.ops.front(),
                                            plan.roots.front(),
                                            false,
                                            collective_ ? collective_->ranks() : 1,
                                            {}},
                                           plan.sizes.back());
  // Later passes go by what the first one has found.
  const bool is_first_pass = scan_took_.count(groups) == 0;
  if (is_first_pass) check_support(operation);
  run_in_round(operation, 1, 0);  // makes the connections
  if (is_first_pass) scan_took_[groups] = look_at_one(operation);
  const double one_took = scan_took_[groups];
  const int iterations =
      static_cast<int>(std::clamp(kSecondsOfPair / kPasses / std::max(one_took, 1e-9), double{kFewestIterations},
                                  static_cast<double>(std::max(kFewestIterations, plan.iterations))));
  const RunTimes times = run_in_round(operation, iterations, one_took);
  std::map<int, double> values;
  {
    const auto phase = watch_.enter("exchange of a round's times", deadline_for(plan, operation, 1, 0));
    std::string own;
    if (collective_) {
      const double seconds = upper_median_of(team_.largest(times.iterations)) / plan.aggregate;
      if (team_.leads_group()) own = nlohmann::json{team_.group(), bandwidth_of(operation, seconds).bus}.dump();
    }
    for (const std::string& text : team_.gather_from_all(own)) {
      if (text.empty()) continue;
      const auto value = nlohmann::json::parse(text);
      values[value.at(0)] = value.at(1);
    }
  }
  const auto phase = watch_.enter("end of a round", options_.init_timeout);
  if (collective_) collective_->finish();
  collective_.reset();
  team_.leave_group();
  return values;
}

/// Throws Unsupported on every process where one of them cannot do it.
void Process::check_support(const Operation& operation) {
  const auto phase = watch_.enter("exchange of what the hosts can do", options_.init_timeout);
  const auto refusal = collective_ ? collective_->refusal(operation) : std::nullopt;
  for (const std::string& why : team_.gather_from_all(refusal.value_or("")))
    if (!why.empty()) throw Unsupported(why, "choose another with -d or -o, or another --backend");
}

/// Seconds that one operation takes, in the slowest group of the round.
double Process::look_at_one(const Operation& operation) {
  const RunTimes one = run_in_round(operation, 1, 0);
  const auto phase = watch_.enter("exchange of what an operation takes", deadline_for(options_.plan, operation, 1, 0));
  const double here = one.total.empty() ? 0 : one.total.front();
  double one_took = 0;
  for (const std::string& text : team_.gather_from_all(nlohmann::json(here).dump()))
    one_took = std::max(one_took, nlohmann::json::parse(text).get<double>());
  return one_took;
}

RunTimes Process::run_in_round(const Operation& operation, int iterations, double one_took) {
  const SweepPlan& plan = options_.plan;
  {
    const auto phase = watch_.enter("barrier before a round", deadline_for(plan, operation, 1, 0));
    team_.barrier();
  }
  RunPlan run;
  run.iterations = iterations;
  run.aggregate = plan.aggregate;
  run.each_iteration = true;
  const double deadline = deadline_for(plan, operation, static_cast<double>(iterations) * plan.aggregate, one_took);
  RunTimes times;
  {
    const auto phase = watch_.enter(text_of(operation) + " of a round", deadline);
    if (collective_) times = collective_->run(operation, run);
  }
  // Those who rest wait here, asleep: MPI's own waiting would take a core from those who measure.
  const auto phase = watch_.enter("end of a measurement", deadline);
  team_.start_barrier();
  while (!team_.barrier_passed()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return times;
}

}  // namespace ringrun::worker
