#pragma once

#include <vector>

namespace ringrun::worker {

/// Of a sample of times, in the sample's unit. Percentiles are members of the sample (nearest rank), as nccl-tests
/// counts them; the deviation is that of the whole sample.
struct Statistics {
  double min = 0;
  double max = 0;
  double average = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double deviation = 0;

  /// Coefficient of variation, in percent.
  double variation() const { return average > 0 ? 100 * deviation / average : 0; }
};

/// All 0 for an empty sample.
Statistics statistics_of(std::vector<double> sample);

/// The middle member, the upper one of two; 0 for an empty sample.
double upper_median_of(std::vector<double> sample);

/// Half the width of the interval that the median of all possible samples is in with 95 % certainty, whatever their
/// distribution, as a share of this sample's median. 1 where the sample is too small to tell (below 6).
double median_error_of(std::vector<double> sample);

}  // namespace ringrun::worker
