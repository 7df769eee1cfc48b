#pragma once

#include <functional>
#include <string>
#include <vector>

#include "worker/sweep/run_plan.hpp"
#include "worker/sweep/statistics.hpp"

namespace ringrun::worker {

/// One rank's part in a sample. In a collective the late rank has the shortest time inside, since the others wait for
/// it there: who is late shows in the arrivals alone.
struct RankSample {
  int rank = 0;  ///< of the job
  std::string host;
  Statistics inside;         ///< seconds between its arrival and its end
  double median_late = 0;    ///< seconds behind the first rank to arrive
  double worst_late = 0;     ///< the same, of the worst iteration
  double last_in_share = 0;  ///< of the iterations that it was the last to arrive in, 0 … 1
};

/// Many iterations of one operation, each with its own time. Seconds.
struct Sample {
  Statistics inside;  ///< of each iteration the longest time of the ranks
  int iterations = 0;
  bool settled = false;    ///< the median is known within the spread that was asked for
  double clock_error = 0;  ///< that the processes' clocks were compared with
  double median_skew = 0;  ///< between the first and the last rank to arrive
  double worst_skew = 0;
  std::vector<RankSample> ranks;
};

/// When a sample is large enough.
struct SampleLimits {
  double spread = 0.02;  ///< half the width of the median's 95 % interval, as a share of the median
  int most_iterations = 2000;
  double most_seconds = 2;  ///< of operations, not of the clock on the wall
};

/// What one process has of an iteration, and what all have together.
struct Iterations {
  std::vector<RankSpans> own;    ///< by a clock that all processes share
  std::vector<double> longest;   ///< seconds inside, of all ranks
  std::vector<double> earliest;  ///< arrival
  std::vector<double> latest;    ///< arrival
};

/// More iterations after `iterations`; 0: enough. Depends on the longest times alone, which all processes agree on.
int more_iterations(const std::vector<double>& longest, int iterations_of_plan, const SampleLimits& limits);

/// Of each rank of this process; `host` is its name.
std::vector<RankSample> rank_samples(const Iterations& iterations, const std::string& host);

/// Without the ranks of other processes.
Sample sample_of(const Iterations& iterations, const SampleLimits& limits);

/// The rank that the others wait for: the one that is last in most iterations, by more than the clocks' error and a
/// tenth of what the operation takes. Null where there is none.
const RankSample* straggler_of(const Sample& sample);

}  // namespace ringrun::worker
