#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ringrun {

/// Begins a line of a rank's wrapper, unseen on a terminal; the launcher takes it off. So a line of a job that runs
/// inside a rank, whose own launcher has taken it off, is not mistaken for one of this job.
inline constexpr char kWrapperMark = '\x01';

/// Takes out of the engine's standard error the blocks between dashed lines that repeat, with less in them, what a
/// rank's own line says ("Primary job terminated normally, but 1 process returned…"). All else passes unchanged, at
/// once, in order. Where no rank's line comes, as when its wrapper was killed, the blocks are shown at the end. mpirun
/// -q would take out every message of the MPI library too.
class BannerFilter {
 public:
  /// The text to show now.
  std::string feed(std::string_view text);

  /// The text without the marks, and nothing held back.
  std::string without_marks(std::string_view text);

  /// What is held back: a block that may not end, or the beginning of a dashed line.
  std::string flush();

  bool holds() const { return !held_.empty(); }

  /// The exit code in the first line of a rank's wrapper, as a shell counts; nothing before one has come.
  std::optional<int> first_failure() const { return first_failure_; }

  /// At the end of the stream: what is still held back, and the blocks, where no rank's line made them needless.
  std::string finish();

 private:
  std::string end_line();
  bool is_mark(char c);

  std::string banners_;
  std::string last_line_;  ///< as far as it may be a rank's
  bool at_line_start_ = true;
  bool marked_ = false;
  std::optional<int> first_failure_;
  /// Whole lines and the line so far that may yet be a banner.
  std::string held_;
  std::string line_;
  bool in_block_ = false;
  bool passing_line_ = false;
};

}  // namespace ringrun
