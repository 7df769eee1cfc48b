#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/tune/trial.hpp"
#include "worker/tune/verdict.hpp"

namespace ringrun::worker {

/// Decides what is tried next, from what the trials so far have shown and the seconds that have passed since the tuning
/// began. Asks no clock and starts nothing.
class Conductor {
 public:
  /// No trial begins that would not end within `budget` seconds, by what the others took. `first_deadline`: seconds for
  /// the first trial, of which nothing is known.
  Conductor(std::vector<std::int64_t> sizes, double budget, double first_deadline);

  /// First the environment as it is, to know how long a trial takes and what joins the ranks. Nothing: enough.
  std::optional<TrialOrder> next(double now);
  /// How the trial of that order went. It began at `began` and lasted until `now`.
  void add(const TrialReport& report, double began, double now);

  /// After the first trial: what to try, the most promising ones first. Those for which the time does not suffice are
  /// left out, so that the others get the rounds that they need.
  void choose(std::vector<TunedSetting> settings, double now);
  std::size_t left_out() const { return left_out_; }

  const TuneRounds& tuned() const { return tuned_; }
  const std::vector<double>& first_seconds() const { return first_seconds_; }
  double seconds_of_trial() const { return seconds_of_trial_; }
  /// Why there is nothing to compare with: the environment as it is has failed. "": it has not.
  const std::string& failure() const { return failure_; }
  bool failure_is_timeout() const { return failure_is_timeout_; }

 private:
  /// Both times as it is, and then each setting.
  static constexpr std::size_t kAsItIs = 0;
  static constexpr std::size_t kAsItIsAgain = 1;
  static constexpr std::size_t kSettings = 2;

  bool begin_round(double now);
  std::vector<std::size_t> shuffled();
  std::size_t alive() const;

  double budget_;
  double first_deadline_;
  TuneRounds tuned_;
  TuneRound round_;
  std::vector<std::size_t> to_do_;  ///< of the round; the last one is next
  std::vector<double> first_seconds_;
  std::vector<int> iterations_;
  double seconds_of_trial_ = 0;
  double deadline_ = 0;  ///< that the running trial was given
  int trials_ = 0;
  std::size_t left_out_ = 0;
  std::string failure_;
  bool failure_is_timeout_ = false;
  bool ended_ = false;
};

}  // namespace ringrun::worker
