#pragma once

#include <iosfwd>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "worker/report/partial_report.hpp"
#include "worker/report/progress.hpp"
#include "worker/report/report_file.hpp"
#include "worker/report/table.hpp"
#include "worker/tune/conductor.hpp"
#include "worker/tune/network_way.hpp"

namespace ringrun::worker {

/// What has been found, as far as it goes.
struct TuneFindings {
  std::vector<TunedHost> hosts;
  std::string ways;
  std::string why_none;
  std::size_t left_out = 0;
  TuneRounds tuned;
  std::vector<ClassVerdict> verdicts;
  double elapsed = 0;  ///< seconds
  double budget = 0;
  std::string failure;  ///< of the environment as it is
  std::string partial;  ///< why it ended too early; "": it did not
};

/// What people read: times, speeds against the environment as it is, and for each class of sizes the setting that wins,
/// with the lines to write down.
std::string text_of(const TuneFindings& findings);

/// The same for programs; `head` says how the worker was called.
std::string json_of(const TuneFindings& findings, const TableHead& head);

/// Tells of a tuning: its head at once, and at its end, whenever that comes, what is known then.
class TuneReport : public PartialReport {
 public:
  /// Throws UserError where `json_file` ("": none) cannot be written. `out` outlives the report.
  TuneReport(std::ostream& out, const TableHead& head, double budget, const std::string& json_file);

  void begin(const std::vector<TunedHost>& hosts, const NetworkWay& way, const Conductor& conductor);
  /// Not to be called while a trial runs: it computes. On a terminal a line on standard error shows how far it is.
  void set(const TuneRounds& tuned, double elapsed);
  /// Throws UserError where the file cannot be written.
  void finish(const std::string& failure, double elapsed);
  /// From any thread, at any time.
  void finish_partial(const std::string& why) override;

 private:
  void end();

  std::ostream& out_;
  const TableHead head_;
  std::optional<ReportFile> json_file_;
  TerminalLine line_;
  std::mutex mutex_;  ///< of what follows
  TuneFindings findings_;
  double noise_factor_ = 0;  ///< for so many rounds as there are
  bool ended_ = false;
};

}  // namespace ringrun::worker
