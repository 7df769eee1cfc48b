#include "worker/sweep/sweep.hpp"

#include <chrono>

namespace ringrun::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kVerySlowNetwork = 25e6;  // bytes a second; a quarter of what 1G Ethernet carries

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Sweep {
 public:
  Sweep(const SweepPlan& plan, Collective& collective, Team& team, Watch& watch, std::uint32_t& seed)
      : plan_(plan), collective_(collective), team_(team), watch_(watch), seed_(seed) {}

  void warm_up(const Operation& like) {
    for (std::int64_t bytes : {plan_.sizes.back(), plan_.sizes.front()}) {
      if (plan_.warmups > 0) run(operation_of(like, bytes), plan_.warmups, 1, 0);
    }
  }

  Row measure_row(const Operation& like, std::int64_t bytes) {
    Row row;
    row.operation = operation_of(like, bytes);
    row.out_of_place = measure(row.operation);
    Operation in_place = row.operation;
    in_place.in_place = true;
    row.in_place = measure(in_place);
    return row;
  }

 private:
  double run(const Operation& operation, int iterations, int aggregate, double one_took) {
    const double operations = static_cast<double>(iterations) * aggregate;
    const auto phase = watch_.enter(text_of(operation), deadline_for(plan_, operation, operations, one_took));
    const auto start = Clock::now();
    collective_.run(operation, iterations, aggregate);
    return seconds_since(start);
  }

  void barrier(const Operation& operation) {
    const auto phase = watch_.enter("barrier before the " + text_of(operation), deadline_for(plan_, operation, 1, 0));
    team_.barrier();
  }

  Measurement measure(const Operation& operation) {
    // One untimed operation, which also tells what to expect of the timed ones.
    const double one_took = run(operation, 1, 1, 0);
    barrier(operation);
    const double total = run(operation, plan_.iterations, plan_.aggregate, one_took);
    Measurement measured;
    {
      const auto phase =
          watch_.enter("exchange of the times of the " + text_of(operation), deadline_for(plan_, operation, 1, 0));
      measured.seconds = team_.combine(total / plan_.iterations / plan_.aggregate, plan_.across);
    }
    measured.bandwidth = bandwidth_of(operation, measured.seconds);
    const bool defined = !operation.in_place || operation.description().defined_in_place;
    if (plan_.checks > 0 && defined) check(operation, measured);
    return measured;
  }

  void check(const Operation& operation, Measurement& measured) {
    measured.wrong = 0;
    for (int i = 0; i < plan_.checks; ++i) {
      const auto phase = watch_.enter("check of the " + text_of(operation), deadline_for(plan_, operation, 2, 0));
      std::uint64_t here = 0;
      std::string locations;
      for (const WrongElements& wrong : collective_.verify(operation, ++seed_)) {
        here += wrong.count;
        if (wrong.count > 0) locations += locate(operation, wrong);
      }
      const std::uint64_t everywhere = team_.sum(here);
      *measured.wrong += everywhere;
      if (everywhere == 0) continue;
      for (const std::string& text : team_.gather(locations)) {
        if (!text.empty()) measured.wrong_locations.push_back(text);
      }
    }
  }

  std::string locate(const Operation& operation, const WrongElements& wrong) const {
    return "rank " + std::to_string(wrong.rank) + ": " + std::to_string(wrong.count) + " wrong in the " +
           text_of(operation) + ", first at element " + std::to_string(wrong.first_index) + " of " +
           std::to_string(operation.layout.receive) + ": expected " + wrong.expected + ", got " + wrong.got + "\n";
  }

  const SweepPlan& plan_;
  Collective& collective_;
  Team& team_;
  Watch& watch_;
  std::uint32_t& seed_;
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
      for (int root : plan.roots) {
        const Operation like{plan.kind, type, op, root, false, collective.ranks(), {}};
        sweep.warm_up(like);
        for (std::int64_t bytes : plan.sizes) {
          const Row row = sweep.measure_row(like, bytes);
          summary.add(row);
          on_row(row);
        }
      }
    }
  }
  return summary;
}

}  // namespace ringrun::worker
