#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "worker/sweep/bandwidth.hpp"
#include "worker/sweep/expectation.hpp"
#include "worker/sweep/operation.hpp"
#include "worker/sweep/sample.hpp"
#include "worker/sweep/statistics.hpp"

namespace ringrun::worker {

struct Measurement {
  double seconds = 0;           ///< of one operation
  double enqueued_seconds = 0;  ///< that enqueuing it took
  Bandwidth bandwidth;
  std::optional<std::uint64_t> wrong;        ///< elements over all ranks and checks; nothing: not checked
  std::vector<std::string> wrong_locations;  ///< one line, without its end, for each rank that has some
  std::vector<double> iterations;            ///< seconds of each, the longest of all processes; empty: not asked for
  std::vector<std::vector<double>> iterations_of_processes;  ///< of the group, in their order
  int skipped_iterations = 0;                                ///< that the statistics leave out, the first ones

  std::optional<Sample> sample;         ///< of --stats
  std::optional<Expectation> expected;  ///< of --expected

  std::vector<double> counted_iterations() const {
    return {iterations.begin() + std::min<std::ptrdiff_t>(skipped_iterations, std::ssize(iterations)),
            iterations.end()};
  }
  Statistics statistics() const { return statistics_of(counted_iterations()); }
};

struct Row {
  int group = 0;
  Operation operation;  ///< its in_place means nothing here
  Measurement out_of_place;
  Measurement in_place;
};

/// A row as it travels from the group that measured it to the process that prints it. Of what is expected the library's
/// choice alone: who prints it knows the path.
std::string to_text(const Row& row);
Row row_from(const std::string& text);

/// The same of the samples of one process's ranks.
std::string to_text(const std::vector<RankSample>& samples);
std::vector<RankSample> rank_samples_from(const std::string& text);

}  // namespace ringrun::worker
