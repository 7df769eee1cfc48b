#include "worker/sweep/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace ringrun::worker {

Statistics statistics_of(std::vector<double> sample) {
  if (sample.empty()) return {};
  std::sort(sample.begin(), sample.end());
  const std::size_t count = sample.size();
  const auto percentile = [&](std::size_t percent) {
    return sample[std::min(count - 1, (count * percent + 99) / 100 - 1)];
  };
  Statistics statistics;
  statistics.min = sample.front();
  statistics.max = sample.back();
  statistics.average = std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(count);
  statistics.p50 = sample[count / 2];
  statistics.p95 = percentile(95);
  statistics.p99 = percentile(99);
  double squares = 0;
  for (double value : sample) squares += (value - statistics.average) * (value - statistics.average);
  statistics.deviation = std::sqrt(squares / static_cast<double>(count));
  return statistics;
}

double upper_median_of(std::vector<double> sample) {
  if (sample.empty()) return 0;
  std::sort(sample.begin(), sample.end());
  return sample[sample.size() / 2];
}

double median_error_of(std::vector<double> sample) {
  const auto count = static_cast<double>(sample.size());
  if (count < 6) return 1;
  std::sort(sample.begin(), sample.end());
  // The number of members below the median is binomial: half of them, with a deviation of half their root.
  const double reach = 1.96 / 2 * std::sqrt(count);
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(count / 2 - reach)));
  const std::size_t high = std::min(sample.size() - 1, static_cast<std::size_t>(std::ceil(count / 2 + reach)));
  const double median = sample[sample.size() / 2];
  return median > 0 ? (sample[high] - sample[low]) / 2 / median : 0;
}

}  // namespace ringrun::worker
