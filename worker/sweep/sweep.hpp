#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "worker/sweep/collective.hpp"
#include "worker/sweep/row.hpp"
#include "worker/sweep/team.hpp"
#include "worker/watch/watch.hpp"

namespace ringrun::worker {

/// What is measured, with the meanings and defaults of nccl-tests.
struct SweepPlan {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::vector<std::int64_t> sizes;  ///< bytes, from small to large
  std::vector<DataType> types;
  std::vector<ReduceOp> ops;                            ///< one that means nothing where the collective does not reduce
  std::vector<std::pair<DataType, ReduceOp>> left_out;  ///< pairs of them that the backend has not
  std::vector<int> roots{-1};                           ///< -1 where the collective has none
  int iterations = 20;
  int warmups = 1;
  int aggregate = 1;
  int checks = 1;             ///< 0: results are not checked
  bool checks_timed = false;  ///< the timed operations' results too
  TimeAcross across = TimeAcross::kAverage;
  int graph_launches = 0;  ///< 0: no CUDA graph
  Blocking blocking = Blocking::kNot;
  bool each_iteration = false;  ///< every iteration's time
  bool samples = false;         ///< --stats: as many iterations as the spread needs, each rank's times and arrivals
  SampleLimits sample_limits;
  bool expects = false;        ///< --expected: ask how the library does each operation
  int skipped_iterations = 0;  ///< of those times, the first ones, that their statistics leave out
  double timeout = 60;         ///< seconds of any one wait; 0: for ever

  bool leaves_out(DataType type, ReduceOp op) const {
    return std::find(left_out.begin(), left_out.end(), std::pair(type, op)) != left_out.end();
  }
};

struct SweepSummary {
  std::uint64_t wrong = 0;
  double bus_bandwidth_sum = 0;
  int measurements = 0;

  void add(const Row& row);
  SweepSummary& operator+=(const SweepSummary& other);
  /// GB/s, over all rows, out-of-place and in-place.
  double average_bus_bandwidth() const { return measurements == 0 ? 0 : bus_bandwidth_sum / measurements; }
  /// False below nine tenths of `least`, the bandwidth that NCCL_TESTS_MIN_BW asks for.
  bool is_fast_enough(double least) const { return average_bus_bandwidth() >= 0.9 * least; }
};

/// Seconds after which a wait for `operations` operations is given up: the plan's timeout, the time their data would
/// take over a very slow network, and four times what `one_took` lets expect. 0 where the plan has no timeout.
double deadline_for(const SweepPlan& plan, const Operation& operation, double operations, double one_took);

/// Runs the whole plan once; `on_row` is called on every process as each row is known, one for each group. `seed`
/// numbers the checks and is carried from cycle to cycle, so that no check repeats an earlier one's data.
SweepSummary run_sweep(const SweepPlan& plan, Collective& collective, Team& team, Watch& watch, std::uint32_t& seed,
                       const std::function<void(const Row&)>& on_row);

}  // namespace ringrun::worker
