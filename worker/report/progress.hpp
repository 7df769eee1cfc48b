#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/sweep/sweep.hpp"

namespace ringrun::worker {

/// How far a sweep is. Its sizes are taken to last as long as their bytes, and small ones as a size of 1 MiB, since
/// there calls and checks take the time.
class Progress {
 public:
  /// `cycles` 0: without an end.
  Progress(const SweepPlan& plan, int cycles);

  void add(std::int64_t bytes);
  /// "37 %, about 12 s left" after `elapsed` seconds; of a sweep without an end "cycle 3".
  std::string text(double elapsed) const;

 private:
  static double weight_of(std::int64_t bytes);

  int cycles_;
  double of_cycle_ = 0;
  double done_ = 0;
};

/// A line on a terminal's standard error that is written over and over; to a launcher that shows it, as records; nothing
/// elsewhere.
class TerminalLine {
 public:
  TerminalLine();
  /// Before anything else is written to the terminal.
  void clear() const;
  void write(const std::string& text) const;
  /// Nothing is shown any more.
  void end() const;

 private:
  void tell_launcher(const std::string& text) const;

  bool on_terminal_;
  std::string launcher_run_;  ///< the run of a launcher that shows it, else empty
};

/// The same on a terminal's standard error in such a line.
class ProgressLine {
 public:
  ProgressLine(const SweepPlan& plan, int cycles);
  void clear() const { line_.clear(); }
  void show(std::int64_t bytes_done);
  void end() const { line_.end(); }

 private:
  TerminalLine line_;
  Progress progress_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace ringrun::worker
