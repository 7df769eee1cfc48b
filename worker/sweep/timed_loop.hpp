#pragma once

#include <chrono>

#include "worker/sweep/run_plan.hpp"

namespace ringrun::worker {

/// Loops around operations that have ended when their call returns: `once` is given the iteration's number. So the time
/// of enqueuing is the whole time, and only a barrier is left to wait for.

/// Nothing but the operations between two looks at the clock.
template <typename Once>
RunTimes run_in_one(const RunPlan& plan, Once once) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < plan.iterations; ++i) {
    for (int j = 0; j < plan.aggregate; ++j) once(i);
  }
  const double total = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {{total}, {total}, {}, {}, {}};
}

/// With a barrier behind each operation, or a look at the clock behind each iteration, as the plan wants it.
template <typename Once>
RunTimes run_step_by_step(const RunPlan& plan, Once once) {
  RunTimes times;
  const auto start = std::chrono::steady_clock::now();
  auto before = start;
  for (int i = 0; i < plan.iterations; ++i) {
    for (int j = 0; j < plan.aggregate; ++j) {
      once(i);
      if (plan.blocking == Blocking::kWaitAndBarrier) plan.barrier();
    }
    const auto now = std::chrono::steady_clock::now();
    if (plan.each_iteration) times.iterations.push_back(std::chrono::duration<double>(now - before).count());
    before = now;
  }
  times.total = times.enqueued = {std::chrono::duration<double>(before - start).count()};
  return times;
}

/// With a look at the clock on both sides of each iteration. The spans are those of `rank`.
template <typename Once>
RunTimes run_with_spans(const RunPlan& plan, int rank, Once once) {
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  RankSpans spans;
  spans.rank = rank;
  for (int i = 0; i < plan.iterations; ++i) {
    spans.begin.push_back(now());
    for (int j = 0; j < plan.aggregate; ++j) {
      once(i);
      if (plan.blocking == Blocking::kWaitAndBarrier) plan.barrier();
    }
    spans.end.push_back(now());
  }
  const double total = spans.end.back() - spans.begin.front();
  return {{total}, {total}, {}, {spans}, {}};
}

}  // namespace ringrun::worker
