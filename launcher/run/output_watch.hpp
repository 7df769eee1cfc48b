#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/explain/output.hpp"

namespace ringrun {

/// What a running job's output says about it: known lines, and silence behind one that says the job cannot go on.
class OutputWatch {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// How often hangs() wants to be asked.
  static constexpr std::chrono::milliseconds kInterval{250};

  explicit OutputWatch(std::chrono::seconds hang_timeout) : hang_timeout_(hang_timeout) {}

  /// What either stream brought. Returns the findings of fatal lines in it, each id once, to be shown at once.
  Findings read_out(std::string_view text, TimePoint now) { return read(out_, text, now); }
  Findings read_err(std::string_view text, TimePoint now) { return read(err_, text, now); }

  /// A fatal line has come: ask hangs() from now on.
  bool armed() const { return !fatal_.empty(); }

  /// True once, when nothing has come for the whole timeout since a fatal line. Output that comes later than what ends
  /// with such a line (traces, echoes of other ranks) shows that the job goes on: then only another fatal line can be
  /// the beginning of a hang. `held_up`: the output is not read now,
  /// since ringrun's own reader is slow, so its silence says nothing. A time in which nobody asked does not count
  /// either: ringrun was stopped, and so was the job.
  bool hangs(TimePoint now, bool held_up);

  /// The fatal lines' ids, "C1, I7".
  std::string fatal_ids() const;

  /// What was seen and not shown yet; echoes of another failure only where nothing else is known.
  Findings explanation() const;

 private:
  Findings read(OutputReader& reader, std::string_view text, TimePoint now);
  bool is_shown(const std::string& id) const;

  std::chrono::seconds hang_timeout_;
  OutputReader out_;
  OutputReader err_;
  /// One of each id.
  std::vector<OutputMeaning> meanings_;
  std::vector<std::string> fatal_;
  TimePoint last_output_;
  /// When the last fatal line came, unset where the job has gone on since.
  std::optional<TimePoint> last_fatal_;
  std::optional<TimePoint> last_asked_;
  bool told_ = false;
};

}  // namespace ringrun
