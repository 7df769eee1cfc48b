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

  void warm_up(DataType type, ReduceOp op) {
    for (std::int64_t bytes : {plan_.sizes.back(), plan_.sizes.front()}) {
      if (plan_.warmups > 0) run(operation_of(bytes, type, op, false), plan_.warmups, 1, 0);
    }
  }

  Row measure(std::int64_t bytes, DataType type, ReduceOp op) {
    Row row;
    row.operation = operation_of(bytes, type, op, false);
    row.out_of_place = measure(row.operation);
    row.in_place = measure(operation_of(bytes, type, op, true));
    return row;
  }

 private:
  static Operation operation_of(std::int64_t bytes, DataType type, ReduceOp op, bool in_place) {
    return {type, op, static_cast<std::size_t>(bytes) / size_of(type), in_place};
  }

  std::string describe(const char* what, const Operation& operation) const {
    return std::string(what) + " of " + std::to_string(operation.bytes()) + " bytes (" +
           std::string(name_of(operation.type)) + " " + std::string(name_of(operation.op)) + ", " +
           (operation.in_place ? "in-place" : "out-of-place") + ")";
  }

  double run(const Operation& operation, int iterations, int aggregate, double one_took) {
    const double operations = static_cast<double>(iterations) * aggregate;
    const auto phase =
        watch_.enter(describe("all-reduce", operation), deadline_for(plan_, operation, operations, one_took));
    const auto start = Clock::now();
    collective_.run(operation, iterations, aggregate);
    return seconds_since(start);
  }

  void barrier(const Operation& operation) {
    const auto phase =
        watch_.enter(describe("barrier before the all-reduce", operation), deadline_for(plan_, operation, 1, 0));
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
          watch_.enter(describe("exchange of the times", operation), deadline_for(plan_, operation, 1, 0));
      measured.seconds = team_.combine(total / plan_.iterations / plan_.aggregate, plan_.across);
    }
    measured.bandwidth = all_reduce_bandwidth(operation.bytes(), measured.seconds, collective_.ranks());
    if (plan_.checks > 0) check(operation, measured);
    return measured;
  }

  void check(const Operation& operation, Measurement& measured) {
    measured.wrong = 0;
    for (int i = 0; i < plan_.checks; ++i) {
      const auto phase = watch_.enter(describe("check", operation), deadline_for(plan_, operation, 2, 0));
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
           describe("all-reduce", operation) + ", first at element " + std::to_string(wrong.first_index) + " of " +
           std::to_string(operation.count) + ": expected " + wrong.expected + ", got " + wrong.got + "\n";
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
      sweep.warm_up(type, op);
      for (std::int64_t bytes : plan.sizes) {
        const Row row = sweep.measure(bytes, type, op);
        summary.add(row);
        on_row(row);
      }
    }
  }
  return summary;
}

}  // namespace ringrun::worker
