#pragma once

#include <vector>

#include "worker/backend/nccl/handles.hpp"
#include "worker/backend/nccl/nccl_rank.hpp"
#include "worker/sweep/run_plan.hpp"

namespace ringrun::worker {

/// Events between the iterations, on each rank's stream.
class Timeline {
 public:
  Timeline(const std::vector<NcclRank*>& ranks, int iterations);

  void mark(int iteration) const;
  /// Of each iteration the longest time of the ranks, in seconds. All marks have been reached.
  std::vector<double> longest() const;

 private:
  const std::vector<NcclRank*>& ranks_;
  std::vector<std::vector<Event>> events_;
};

/// Events on both sides of each iteration. One mark between two would be reached when the first one ends, however late
/// the second one is enqueued: a late host would not show.
class SpanTimeline {
 public:
  /// Compares the streams' clocks with the host's. The streams are idle.
  SpanTimeline(const std::vector<NcclRank*>& ranks, int iterations);

  void begin(int iteration) const { mark(iteration, 0); }
  void end(int iteration) const { mark(iteration, 1); }
  /// By this host's steady clock. All marks have been reached.
  std::vector<RankSpans> spans() const;

 private:
  struct OfRank {
    double base_seconds = 0;  ///< when `base` was reached
    Event base;
    std::vector<Event> events;  ///< begin and end in turn
  };
  void mark(int iteration, int side) const;

  const std::vector<NcclRank*>& ranks_;
  std::vector<OfRank> of_ranks_;
};

}  // namespace ringrun::worker
