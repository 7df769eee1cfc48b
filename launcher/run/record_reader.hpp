#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/run/rank_record.hpp"
#include "lib/text/record_frame.hpp"

namespace ringrun {

/// Takes the records out of the job's standard error. All else passes unchanged and in order, at once, but for what may
/// be the beginning of a record. Those of other jobs, as of one that a rank launched, are dropped.
class RecordReader {
 public:
  explicit RecordReader(std::string run_id) : run_id_(std::move(run_id)) {}

  /// The text without records; those of this job are added to `found`.
  std::string feed(std::string_view text, std::vector<Record>& found);

  /// A text is held back that a program has written, as far as one can tell.
  bool holds_text() const { return !held_.empty() && !begun(); }

  /// What is held back although it is not, or may not be, a record.
  std::string flush() { return holds_text() ? std::exchange(held_, {}) : std::string(); }

  /// At the end of the stream.
  std::string finish() { return std::exchange(held_, {}); }

 private:
  bool begun() const { return held_.size() >= kRecordBegin.size(); }
  bool end_record(std::vector<Record>& found);

  std::string run_id_;
  /// From the first control character on.
  std::string held_;
  /// A record's line end may follow.
  bool at_record_end_ = false;
};

}  // namespace ringrun
