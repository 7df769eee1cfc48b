#include "worker/sweep/sampler.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "lib/host/host_name.hpp"
#include "worker/sweep/row.hpp"

namespace ringrun::worker {

Sample Sampler::take(const Operation& operation, int iterations, int aggregate, double deadline, const Run& run) {
  ClockOffset clock;
  {
    const auto phase = watch_.enter("comparison of the clocks before the " + text_of(operation), deadline);
    clock = team_.clock_offset();
  }
  Iterations taken;
  for (int next = more_iterations({}, iterations, limits_); next > 0;) {
    const RunTimes times = run(next + 1);
    const auto phase = watch_.enter("exchange of the spans of the " + text_of(operation), deadline);
    add(times, aggregate, clock.seconds, taken);
    next = more_iterations(taken.longest, iterations, limits_);
    // Groups settle at different times, and go on side by side until all have.
    int most = 0;
    for (const std::string& wish : team_.gather_from_all(std::to_string(next))) most = std::max(most, std::stoi(wish));
    next = most;
  }
  const auto phase = watch_.enter("exchange of the statistics of the " + text_of(operation), deadline);
  Sample sample = sample_of(taken, limits_);
  sample.clock_error = team_.largest({clock.error}).front();
  std::vector<RankSample> here = rank_samples(taken, short_host_name(host_name()));
  for (RankSample& rank : here) rank.rank = rank_in_job(team_, rank.rank, operation.ranks);
  for (const std::string& text : team_.gather(to_text(here))) {
    for (RankSample& rank : rank_samples_from(text)) sample.ranks.push_back(std::move(rank));
  }
  return sample;
}

void Sampler::add(const RunTimes& times, int aggregate, double clock_offset, Iterations& iterations) {
  if (iterations.own.empty()) iterations.own.resize(times.spans.size());
  const std::size_t count = times.spans.front().begin.size() - 1;
  constexpr double kFar = std::numeric_limits<double>::max();
  std::vector<double> longest(count, 0), earliest(count, kFar), latest(count, -kFar);
  for (std::size_t r = 0; r < times.spans.size(); ++r) {
    const RankSpans& spans = times.spans[r];
    RankSpans& own = iterations.own[r];
    own.rank = spans.rank;
    for (std::size_t i = 0; i < count; ++i) {
      const double begin = spans.begin[i + 1] + clock_offset;
      const double inside = (spans.end[i + 1] - spans.begin[i + 1]) / aggregate;
      own.begin.push_back(begin);
      own.end.push_back(begin + inside);
      longest[i] = std::max(longest[i], inside);
      earliest[i] = std::min(earliest[i], begin);
      latest[i] = std::max(latest[i], begin);
    }
  }
  for (double& time : earliest) time = -time;
  const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
    to.insert(to.end(), more.begin(), more.end());
  };
  append(iterations.longest, team_.largest(longest));
  append(iterations.latest, team_.largest(latest));
  for (double time : team_.largest(earliest)) iterations.earliest.push_back(-time);
}

}  // namespace ringrun::worker
