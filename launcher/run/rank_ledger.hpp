#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "launcher/run/rank_record.hpp"

namespace ringrun {

/// The launcher's clock, us.
inline std::int64_t arrival_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

/// What is known of a job's ranks, from their records. The clocks of hosts need not agree: a record that came fastest
/// tells how far a host's clock is from the launcher's.
class RankLedger {
 public:
  /// `arrival` is when it came, of the launcher's clock, us.
  void add(const StartRecord& record, std::int64_t arrival);
  void add(const EndRecord& record, std::int64_t arrival);

  bool any_failed() const { return !failures_.empty(); }

  /// All ranks that failed by themselves, the first to fail first.
  std::vector<EndRecord> failures() const;

  bool any_started() const { return !host_of_.empty(); }

  /// Ranks had begun, and none has ended by itself.
  bool none_ended() const { return any_started() && ended_.empty(); }

  /// Ranks that had begun, and neither failed nor ended well.
  std::vector<int> stopped() const;

 private:
  struct Failure {
    EndRecord record;
    std::int64_t arrival = 0;
  };

  void compare_clocks(int host, std::int64_t time, std::int64_t arrival);
  std::int64_t launcher_time(const Failure& failure) const;

  /// Of ranks that have begun.
  std::map<int, int> host_of_;
  /// What is to be added to a host's time, and the travel of its fastest record.
  std::map<int, std::int64_t> offsets_;
  /// Ended well, or failed.
  std::set<int> ended_;
  std::vector<Failure> failures_;
};

}  // namespace ringrun
