#include "worker/backend/nccl/timeline.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "lib/nccl/check.hpp"

namespace ringrun::worker {
namespace {

Event make_event() {
  cudaEvent_t event = nullptr;
  check_cuda(cudaEventCreate(&event), "cudaEventCreate");
  return Event(event);
}

double seconds_between(const Event& first, const Event& second) {
  float milliseconds = 0;
  check_cuda(cudaEventElapsedTime(&milliseconds, first.get(), second.get()), "cudaEventElapsedTime");
  return milliseconds * 1e-3;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

Timeline::Timeline(const std::vector<NcclRank*>& ranks, int iterations) : ranks_(ranks), events_(ranks.size()) {
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    ranks[r]->select();
    for (int i = 0; i <= iterations; ++i) events_[r].push_back(make_event());
  }
}

void Timeline::mark(int iteration) const {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_.size() > 1) ranks_[r]->select();
    check_cuda(cudaEventRecord(events_[r][static_cast<std::size_t>(iteration)].get(), ranks_[r]->stream.get()),
               "cudaEventRecord");
  }
}

std::vector<double> Timeline::longest() const {
  std::vector<double> seconds(events_.front().size() - 1, 0);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r]->select();
    for (std::size_t i = 0; i < seconds.size(); ++i)
      seconds[i] = std::max(seconds[i], seconds_between(events_[r][i], events_[r][i + 1]));
  }
  return seconds;
}

SpanTimeline::SpanTimeline(const std::vector<NcclRank*>& ranks, int iterations) : ranks_(ranks) {
  constexpr int kRounds = 10;  // the quickest tells most
  for (const NcclRank* rank : ranks) {
    rank->select();
    OfRank of_rank;
    double narrowest = 0;
    for (int round = 0; round < kRounds; ++round) {
      Event event = make_event();
      const double before = now();
      check_cuda(cudaEventRecord(event.get(), rank->stream.get()), "cudaEventRecord");
      check_cuda(cudaEventSynchronize(event.get()), "cudaEventSynchronize");
      const double after = now();
      if (round > 0 && after - before >= narrowest) continue;
      narrowest = after - before;
      of_rank.base = std::move(event);
      of_rank.base_seconds = (before + after) / 2;
    }
    for (int i = 0; i < 2 * iterations; ++i) of_rank.events.push_back(make_event());
    of_ranks_.push_back(std::move(of_rank));
  }
}

void SpanTimeline::mark(int iteration, int side) const {
  const auto at = static_cast<std::size_t>(2 * iteration + side);
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_.size() > 1) ranks_[r]->select();
    check_cuda(cudaEventRecord(of_ranks_[r].events[at].get(), ranks_[r]->stream.get()), "cudaEventRecord");
  }
}

std::vector<RankSpans> SpanTimeline::spans() const {
  std::vector<RankSpans> all;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    ranks_[r]->select();
    const OfRank& of_rank = of_ranks_[r];
    RankSpans spans;
    spans.rank = ranks_[r]->rank;
    for (std::size_t i = 0; i < of_rank.events.size(); i += 2) {
      // CUDA tells times as floats, which are good for 0.1 us two seconds from the base: a span is told from its begin.
      const double begin = of_rank.base_seconds + seconds_between(of_rank.base, of_rank.events[i]);
      spans.begin.push_back(begin);
      spans.end.push_back(begin + seconds_between(of_rank.events[i], of_rank.events[i + 1]));
    }
    all.push_back(std::move(spans));
  }
  return all;
}

}  // namespace ringrun::worker
