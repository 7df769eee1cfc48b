#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "worker/backend/nccl/nccl_calls.hpp"
#include "worker/backend/nccl/nccl_element.hpp"
#include "worker/backend/nccl/nccl_rank.hpp"
#include "worker/sweep/run_plan.hpp"

namespace ringrun::worker {

/// The ranks that one thread drives. All its calls are made by that thread.
class NcclLane {
 public:
  /// `abandoned` tells that another thread of this process has failed: then a wait ends with an exception.
  NcclLane(std::vector<NcclRank*> ranks, const std::atomic<bool>& abandoned);

  struct Times {
    double total = 0;
    double enqueued = 0;
    std::vector<double> iterations;  ///< the longest of the ranks
    std::vector<RankSpans> spans;    ///< of each rank
  };
  /// `meet` waits for the process's other threads, and for all processes.
  Times run(const Operation& operation, const RunPlan& plan, std::size_t buffer_bytes,
            const std::function<void()>& meet) const;

  /// One operation at the begin of the buffers; returns when it has ended.
  void run_once(const Operation& operation, bool as_graph) const;

  /// What NCCL's own model says that one operation takes, in seconds; 0 where it does not say. Runs nothing.
  double estimate(const Operation& operation) const;

 private:
  /// What stays the same from one iteration to the next.
  struct Prepared {
    NcclReduction reduction;
    NcclCall call;
    int device;
  };

  std::vector<Prepared> prepare(const Operation& operation) const;
  /// In a group where the lane has several ranks. `offset` in bytes is added to both places.
  template <typename Work>
  void for_each(const std::vector<Prepared>& calls, std::size_t offset, Work work) const;
  void enqueue(const Operation& operation, const std::vector<Prepared>& calls, std::size_t offset) const;
  void enqueue_iteration(const Operation& operation, const RunPlan& plan, const std::vector<Prepared>& calls,
                         std::size_t offset, const std::function<void()>& meet) const;
  std::vector<ExecutableGraph> capture(const std::function<void()>& work) const;
  void launch(const std::vector<ExecutableGraph>& graphs) const;
  void wait() const;

  std::vector<NcclRank*> ranks_;
  const std::atomic<bool>& abandoned_;
};

}  // namespace ringrun::worker
