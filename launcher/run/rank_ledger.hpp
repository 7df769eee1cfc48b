#pragma once

#include <map>
#include <set>
#include <vector>

#include "launcher/run/rank_record.hpp"

namespace ringrun {

/// What is known of a job's ranks, from their records.
class RankLedger {
 public:
  void add(const StartRecord& record) { started_.insert(record.rank); }
  void add(const EndRecord& record);

  /// nullptr while no rank has failed by itself. On one host the earlier end counts, between hosts the earlier word.
  const EndRecord* first_failure() const;

  /// All ranks that failed by themselves, the first to fail first.
  const std::vector<EndRecord>& failures() const { return failures_; }

  bool any_started() const { return !started_.empty(); }

  /// Ranks had begun, and none has ended by itself.
  bool none_ended() const { return !started_.empty() && ended_.empty(); }

  /// Ranks that had begun, and neither failed nor ended well.
  std::vector<int> stopped() const;

 private:
  std::set<int> started_;
  /// Ended well, or failed.
  std::set<int> ended_;
  std::vector<EndRecord> failures_;
};

}  // namespace ringrun
