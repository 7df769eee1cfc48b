#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/explain/finding.hpp"

namespace ringrun {

/// What a line that a program, NCCL or Open MPI printed means.
struct OutputMeaning {
  Finding finding;
  /// The job cannot go on after this line, even where nothing has ended yet.
  bool fatal = false;
  /// Something else failed first and this is its echo: shown only where nothing better was seen.
  bool secondary = false;
};

/// Knows the lines of NCCL, Open MPI, Gloo and the loader (any case; texts vary by version). nullopt: nothing known.
std::optional<OutputMeaning> explain_line(std::string_view line);

/// Reads a job's error stream piece by piece and keeps what it means. Cheap: a line that contains none of the
/// catalogue's words costs one search.
class OutputReader {
 public:
  /// `text` may end in the middle of a line. Returns what the lines in it newly mean, the first of each id.
  std::vector<OutputMeaning> feed(std::string_view text);
  /// Everything so far; echoes only where there is nothing else.
  Findings findings() const;
  bool saw_fatal() const { return fatal_lines_ > 0; }
  /// How many lines said so, repeated ones too.
  std::size_t fatal_lines() const { return fatal_lines_; }

 private:
  std::string line_;
  std::vector<OutputMeaning> meanings_;
  std::size_t fatal_lines_ = 0;
};

}  // namespace ringrun
