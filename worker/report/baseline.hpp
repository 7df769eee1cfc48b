#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "worker/sweep/row.hpp"

namespace ringrun::worker {

/// One measurement, of all cycles.
struct Timing {
  std::vector<double> microseconds;  ///< a member for each cycle
  double error = 0;                  ///< of each, as a share; 0: nothing is known of its spread
};

/// By what was measured: "all_reduce 1048576 B float sum, out-of-place".
using Timings = std::map<std::string, Timing>;

/// A measurement that took longer or less long than before, by more than what was allowed and both spreads together.
struct Difference {
  std::string what;
  double before = 0;  ///< microseconds, the median of all cycles
  double now = 0;
  double noise = 0;  ///< as a share of `before`
  bool slower() const { return now > before; }
  double change() const { return now / before - 1; }
};

struct Comparison {
  int compared = 0;
  int missing = 0;  ///< measured now, and not in the baseline
  std::vector<Difference> differences;
  bool is_slower() const;
};

/// What two runs must have in common for their times to be compared.
struct ComparedJob {
  std::size_t ranks = 0;
  bool over_mpi = false;
};

/// The measurements of a JSON file, the worker's or that of nccl-tests. Throws UserError where it cannot be read, has
/// none, or is known to be of another job than `now`.
Timings read_baseline(const std::string& file, const ComparedJob& now);
/// Of such a file's contents; `file` names it in errors. A time that is no number above 0 is left out.
Timings baseline_from(const std::string& text, const std::string& file, const ComparedJob& now);

void add_row(Timings& timings, const Row& row);

/// `allowed` is the share that a time may grow: 0.05.
Comparison compare(const Timings& before, const Timings& now, double allowed);

/// The "# " lines about it.
std::string text_of(const Comparison& comparison, const std::string& file, double allowed);

}  // namespace ringrun::worker
