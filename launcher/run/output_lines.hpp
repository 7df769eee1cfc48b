#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "lib/placement/job_plan.hpp"

namespace ringrun {

/// One stream of a rank as OutputStyle wants it shown: each line begins as mpirun 4.1 begins it, "[1,3]<stdout>:" with
/// `tag`, "Mon Nov 30 16:36:39 2026<stdout>:" with `timestamp`, both in the other order with both.
class OutputLines {
 public:
  /// `stream` is "stdout" or "stderr".
  OutputLines(const OutputStyle& style, int rank, std::string stream);

  /// Lines pass when they are whole, so that those of several ranks do not mix; all text at once where no line begins
  /// with anything.
  std::string feed(std::string_view text, std::time_t now);

  bool holds() const { return !held_.empty(); }

  /// The beginning of a line whose end does not come, as of a question; its rest follows without a second beginning.
  std::string flush(std::time_t now);

 private:
  std::string beginning(std::time_t now) const;

  bool timestamp_;
  bool marked_;
  std::string mark_;
  std::string held_;
  bool in_line_ = false;
};

}  // namespace ringrun
