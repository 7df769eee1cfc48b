#pragma once

#include <chrono>
#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "worker/cli/options.hpp"
#include "worker/report/baseline.hpp"
#include "worker/report/csv.hpp"
#include "worker/report/highlights.hpp"
#include "worker/report/json.hpp"
#include "worker/report/partial_report.hpp"
#include "worker/report/progress.hpp"
#include "worker/report/table.hpp"
#include "worker/sweep/soak.hpp"

namespace ringrun::worker {

/// All that one process tells of a sweep, of all its cycles: the table, the files, the comparison with an earlier run.
class Reports : public PartialReport {
 public:
  /// Reads the baseline and opens the files, so that a wrong name is told before the sweep; throws UserError then.
  /// `options` and `out` outlive the reports.
  Reports(std::ostream& out, const Options& options, const TableHead& head);

  void add(const Row& row);
  /// What a soak has found so far, instead of rows.
  void set_soak(const SoakResult& result);
  /// Throws UserError where a file cannot be written.
  void finish(const MemoryReport& memory);
  /// The files first: the table is left as it is where nobody reads it.
  void finish_partial(const std::string& why) override;

  /// After `finish`: with the baseline; nothing where none was asked for.
  const std::optional<Comparison>& comparison() const { return comparison_; }

 private:
  /// False where they have ended already.
  bool end();
  void print_end(const MemoryReport& memory);
  void write_json(const std::vector<std::string>& errors);
  std::string so_far() const;

  std::ostream& out_;
  const Options& options_;
  std::timed_mutex printing_;  ///< taken before the other one
  std::mutex mutex_;           ///< of what follows; nothing that may block is done with it
  bool ended_ = false;         ///< nothing of it changes any more
  int rows_ = 0;
  int own_group_ = 0;  ///< whose rows count for the progress
  TableColumns columns_;
  SweepSummary summary_;
  Highlights highlights_;
  std::optional<SoakResult> soak_;
  ProgressLine progress_;
  std::optional<JsonReport> json_;
  std::optional<CsvReport> csv_;
  Timings before_;
  Timings now_;
  std::optional<Comparison> comparison_;
};

}  // namespace ringrun::worker
