#include "worker/sweep/sample.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ringrun::worker {

int more_iterations(const std::vector<double>& longest, int iterations_of_plan, const SampleLimits& limits) {
  const int taken = static_cast<int>(longest.size());
  if (taken == 0) return std::min(iterations_of_plan, limits.most_iterations);
  if (taken >= limits.most_iterations || median_error_of(longest) <= limits.spread) return 0;
  const double lasted = std::accumulate(longest.begin(), longest.end(), 0.0);
  const double left = limits.most_seconds - lasted;
  // Half as many again each time, so that a sample that settles late does not go far beyond what it needs.
  const double affordable = left / (lasted / taken);
  const int wanted = std::min(std::max(taken / 2, 1), limits.most_iterations - taken);
  return affordable < 1 ? 0 : static_cast<int>(std::min<double>(wanted, affordable));
}

std::vector<RankSample> rank_samples(const Iterations& iterations, const std::string& host) {
  std::vector<RankSample> samples;
  for (const RankSpans& spans : iterations.own) {
    std::vector<double> inside, late;
    int last = 0;
    for (std::size_t i = 0; i < spans.begin.size(); ++i) {
      inside.push_back(spans.end[i] - spans.begin[i]);
      late.push_back(spans.begin[i] - iterations.earliest[i]);
      last += spans.begin[i] >= iterations.latest[i] ? 1 : 0;
    }
    const Statistics lateness = statistics_of(late);
    samples.push_back({spans.rank, host, statistics_of(inside), lateness.p50, lateness.max,
                       late.empty() ? 0 : static_cast<double>(last) / static_cast<double>(late.size())});
  }
  return samples;
}

Sample sample_of(const Iterations& iterations, const SampleLimits& limits) {
  std::vector<double> skews;
  for (std::size_t i = 0; i < iterations.latest.size(); ++i)
    skews.push_back(iterations.latest[i] - iterations.earliest[i]);
  const Statistics skew = statistics_of(skews);
  Sample sample;
  sample.inside = statistics_of(iterations.longest);
  sample.iterations = static_cast<int>(iterations.longest.size());
  sample.settled = median_error_of(iterations.longest) <= limits.spread;
  sample.median_skew = skew.p50;
  sample.worst_skew = skew.max;
  return sample;
}

const RankSample* straggler_of(const Sample& sample) {
  const auto latest = std::max_element(sample.ranks.begin(), sample.ranks.end(),
                                       [](const auto& a, const auto& b) { return a.median_late < b.median_late; });
  if (latest == sample.ranks.end() || sample.ranks.size() < 2) return nullptr;
  // What the operation takes where nobody waits: the late rank's own time inside.
  const double telling = std::max(2 * sample.clock_error, latest->inside.p50 / 10);
  return latest->last_in_share > 0.5 && latest->median_late > telling ? &*latest : nullptr;
}

}  // namespace ringrun::worker
