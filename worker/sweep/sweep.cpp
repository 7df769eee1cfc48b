#include "worker/sweep/sweep.hpp"

#include <algorithm>
#include <numeric>

#include "worker/sweep/location.hpp"
#include "worker/sweep/sampler.hpp"

namespace ringrun::worker {
namespace {

constexpr double kVerySlowNetwork = 25e6;  // bytes a second; a quarter of what 1G Ethernet carries

/// One time of those of this process's threads; of the sum over processes, that of an average is an average again.
double combine_threads(const std::vector<double>& times, TimeAcross how) {
  switch (how) {
    case TimeAcross::kRankZero:
      return times.front();
    case TimeAcross::kMin:
      return *std::min_element(times.begin(), times.end());
    case TimeAcross::kMax:
      return *std::max_element(times.begin(), times.end());
    default:
      return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  }
}

class Sweep {
 public:
  Sweep(const SweepPlan& plan, Collective& collective, Team& team, Watch& watch, std::uint32_t& seed)
      : plan_(plan),
        collective_(collective),
        team_(team),
        watch_(watch),
        seed_(seed),
        sampler_(plan.sample_limits, team, watch) {}

  void warm_up(const Operation& like) {
    for (std::int64_t bytes : {plan_.sizes.back(), plan_.sizes.front()}) {
      RunPlan plan;
      plan.iterations = plan_.warmups;
      if (plan_.warmups > 0) run(operation_of(like, bytes), plan, 0);
    }
  }

  Row measure_row(const Operation& like, std::int64_t bytes) {
    Row row;
    row.group = team_.group();
    row.operation = operation_of(like, bytes);
    row.out_of_place = measure(row.operation);
    Operation in_place = row.operation;
    in_place.in_place = true;
    row.in_place = measure(in_place);
    return row;
  }

  /// One row for each group, where there are several.
  std::vector<Row> rows_of_all_groups(const Row& own) {
    if (team_.groups() == 1) return {own};
    const auto phase = watch_.enter("exchange of the groups' results", deadline_for(plan_, own.operation, 1, 0));
    std::vector<Row> rows;
    for (const std::string& text : team_.gather_from_all(team_.leads_group() ? to_text(own) : "")) {
      if (!text.empty()) rows.push_back(row_from(text));
    }
    return rows;
  }

 private:
  RunTimes run(const Operation& operation, const RunPlan& plan, double one_took) {
    const auto phase = watch_.enter(text_of(operation), deadline_for(plan_, operation, plan.operations(), one_took));
    return collective_.run(operation, plan);
  }

  /// Seconds of one untimed operation on the process where it took longest: of a broadcast the root's may be nothing,
  /// and a deadline of its own would let a process end the job before the others can tell who is missing.
  double look_at_one(const Operation& operation) {
    const double here = run(operation, {}, 0).total.front();
    const auto phase =
        watch_.enter("exchange of what the " + text_of(operation) + " takes", deadline_for(plan_, operation, 1, 0));
    return team_.largest({here}).front();
  }

  void barrier(const Operation& operation) {
    const auto phase = watch_.enter("barrier before the " + text_of(operation), deadline_for(plan_, operation, 1, 0));
    team_.barrier();
  }

  Measurement measure(const Operation& operation) {
    const double one_took = look_at_one(operation);
    barrier(operation);
    RunPlan timed;
    timed.iterations = plan_.iterations;
    timed.aggregate = plan_.aggregate;
    timed.graph_launches = plan_.graph_launches;
    timed.blocking = plan_.blocking;
    timed.each_iteration = plan_.each_iteration;
    timed.barrier = [this] { team_.barrier(); };
    const bool defined = !operation.in_place || operation.description().defined_in_place;
    if (plan_.checks_timed && defined) timed.checked_with = ++seed_;
    const RunTimes times = run(operation, timed, one_took);
    timed.checked_with.reset();
    Measurement measured;
    {
      const auto phase =
          watch_.enter("exchange of the times of the " + text_of(operation), deadline_for(plan_, operation, 1, 0));
      const auto combine = [&](const std::vector<double>& threads) {
        return team_.combine(combine_threads(threads, plan_.across) / timed.operations(), plan_.across);
      };
      measured.seconds = combine(times.total);
      measured.enqueued_seconds = combine(times.enqueued);
      if (plan_.each_iteration) exchange_iterations(times.iterations, measured);
    }
    measured.bandwidth = bandwidth_of(operation, measured.seconds);
    if (plan_.samples) {
      timed.spans = true;
      measured.sample = sampler_.take(operation, plan_.iterations, plan_.aggregate,
                                      deadline_for(plan_, operation, 1, 0), [&](int iterations) {
                                        timed.iterations = iterations;
                                        barrier(operation);
                                        return run(operation, timed, one_took);
                                      });
    }
    if (plan_.expects) {
      const auto phase = watch_.enter("look at how the " + text_of(operation) + " is done",
                                      deadline_for(plan_, operation, 1, one_took));
      measured.expected.emplace().choice = collective_.observe(operation);
    }
    if (times.wrong) count_wrong(operation, *times.wrong, measured);
    if (plan_.checks > 0 && defined) check(operation, measured);
    return measured;
  }

  void exchange_iterations(std::vector<double> here, Measurement& measured) {
    for (double& seconds : here) seconds /= plan_.aggregate;
    measured.iterations = team_.largest(here);
    measured.iterations_of_processes = team_.gather_at_first(here);
    measured.skipped_iterations = plan_.skipped_iterations;
  }

  void check(const Operation& operation, Measurement& measured) {
    for (int i = 0; i < plan_.checks; ++i) {
      std::vector<WrongElements> wrong;
      {
        const auto phase = watch_.enter("check of the " + text_of(operation), deadline_for(plan_, operation, 2, 0));
        wrong = collective_.verify(operation, ++seed_);
      }
      count_wrong(operation, wrong, measured);
    }
  }

  void count_wrong(const Operation& operation, const std::vector<WrongElements>& here, Measurement& measured) {
    const auto phase =
        watch_.enter("exchange of what is wrong in the " + text_of(operation), deadline_for(plan_, operation, 1, 0));
    std::uint64_t count = 0;
    for (const WrongElements& wrong : here) count += wrong.count;
    const std::uint64_t everywhere = team_.sum(count);
    measured.wrong = measured.wrong.value_or(0) + everywhere;
    if (everywhere == 0) return;
    for (std::string& line : lines_of(team_.gather(locations_of(operation, here, team_))))
      measured.wrong_locations.push_back(std::move(line));
  }

  const SweepPlan& plan_;
  Collective& collective_;
  Team& team_;
  Watch& watch_;
  std::uint32_t& seed_;
  Sampler sampler_;
};

}  // namespace

void SweepSummary::add(const Row& row) {
  wrong += row.out_of_place.wrong.value_or(0) + row.in_place.wrong.value_or(0);
  bus_bandwidth_sum += row.out_of_place.bandwidth.bus + row.in_place.bandwidth.bus;
  measurements += 2;
}

SweepSummary& SweepSummary::operator+=(const SweepSummary& other) {
  wrong += other.wrong;
  bus_bandwidth_sum += other.bus_bandwidth_sum;
  measurements += other.measurements;
  return *this;
}

double deadline_for(const SweepPlan& plan, const Operation& operation, double operations, double one_took) {
  if (plan.timeout <= 0) return 0;
  // Where an operation was timed already, its own time says more than the slow network's.
  const double one = one_took > 0 ? 4 * one_took : 2 * static_cast<double>(operation.bytes()) / kVerySlowNetwork;
  return plan.timeout + operations * one;
}

SweepSummary run_sweep(const SweepPlan& plan, Collective& collective, Team& team, Watch& watch, std::uint32_t& seed,
                       const std::function<void(const Row&)>& on_row) {
  Sweep sweep(plan, collective, team, watch, seed);
  SweepSummary summary;
  for (DataType type : plan.types) {
    for (ReduceOp op : plan.ops) {
      if (plan.leaves_out(type, op)) continue;
      for (int root : plan.roots) {
        const Operation like{plan.kind, type, op, root, false, collective.ranks(), {}};
        sweep.warm_up(like);
        for (std::int64_t bytes : plan.sizes) {
          for (const Row& row : sweep.rows_of_all_groups(sweep.measure_row(like, bytes))) {
            summary.add(row);
            on_row(row);
          }
        }
      }
    }
  }
  return summary;
}

}  // namespace ringrun::worker
