#pragma once

#include <functional>

#include "worker/sweep/operation.hpp"
#include "worker/sweep/sample.hpp"
#include "worker/sweep/team.hpp"
#include "worker/watch/watch.hpp"

namespace ringrun::worker {

/// Takes samples of operations together with the other processes.
class Sampler {
 public:
  Sampler(const SampleLimits& limits, Team& team, Watch& watch) : limits_(limits), team_(team), watch_(watch) {}

  /// Runs so many iterations, with a span for each; the first begins behind a barrier.
  using Run = std::function<RunTimes(int iterations)>;
  /// Adds iterations until the sample is large enough. `iterations` at first; `aggregate` operations are in each.
  /// `deadline` seconds for each exchange.
  Sample take(const Operation& operation, int iterations, int aggregate, double deadline, const Run& run);

 private:
  /// Appends `times` without its first iteration, which begins with a barrier's skew.
  void add(const RunTimes& times, int aggregate, double clock_offset, Iterations& iterations);

  const SampleLimits& limits_;
  Team& team_;
  Watch& watch_;
};

}  // namespace ringrun::worker
