#pragma once

#include <chrono>
#include <iosfwd>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "worker/cli/options.hpp"
#include "worker/report/json.hpp"
#include "worker/report/partial_report.hpp"
#include "worker/report/progress.hpp"
#include "worker/report/table.hpp"
#include "worker/scan/scan.hpp"

namespace ringrun::worker {

/// The matrix of a scan of pairs, or a line for each host that was left out; then what stands out, by which rule.
std::string text_of(const ScanResult& result);

/// The same for the JSON. What was not measured is null.
nlohmann::json scan_json(const ScanResult& result);

/// All that one process tells of a scan.
class ScanReport : public PartialReport {
 public:
  /// Prints the head. Throws UserError where the JSON's file cannot be written. `options` and `out` outlive the report.
  ScanReport(std::ostream& out, const Options& options, const TableHead& head, const ScanNodes& nodes);
  /// After each round.
  void show(const ScanResult& result);
  void finish();
  void finish_partial(const std::string& why) override;

 private:
  void print(const std::vector<std::string>& errors);
  /// False where it has ended already.
  bool end();

  std::ostream& out_;
  std::mutex mutex_;
  bool ended_ = false;
  std::optional<ScanResult> result_;  ///< so far
  TerminalLine line_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::optional<JsonReport> json_;
};

}  // namespace ringrun::worker
