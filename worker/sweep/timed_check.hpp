#pragma once

#include "worker/sweep/operation.hpp"
#include "worker/sweep/run_plan.hpp"

namespace ringrun::worker {

/// The results of a timed run whose operations use `parts` parts of the buffers in turn are to be checked, and can be:
/// a reduction in place that is repeated reduces its own results.
inline bool checks_results(const Operation& operation, const RunPlan& plan, int parts) {
  if (!plan.checked_with) return false;
  const bool repeatable = !operation.in_place || !operation.description().reduces;
  return repeatable || plan.operations() <= (plan.aggregate == 1 ? parts : 1);
}

/// The last iteration that wrote to a part.
inline int last_iteration_of(int part, int parts, int iterations) {
  return part + (iterations - 1 - part) / parts * parts;
}

/// Adds what is wrong in a part that `iteration` wrote last; the first place stays.
inline void add_part(WrongElements& all, const WrongElements& part, int iteration) {
  const std::uint64_t before = all.count;
  if (before == 0 && part.count > 0) {
    all = part;
    all.iteration = iteration;
  } else {
    all.count += part.count;
  }
}

}  // namespace ringrun::worker
