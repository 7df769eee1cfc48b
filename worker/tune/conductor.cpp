#include "worker/tune/conductor.hpp"

#include <algorithm>
#include <random>

namespace ringrun::worker {
namespace {

/// A trial that takes so many times as long as the others hangs. But a start of CUDA on a busy host does take seconds.
constexpr double kHangs = 5;
constexpr double kLeastDeadline = 8;
/// With fewer rounds only what is several times as fast shows.
constexpr double kWantedRounds = 5;

}  // namespace

Conductor::Conductor(std::vector<std::int64_t> sizes, double budget, double first_deadline)
    : budget_(budget), first_deadline_(first_deadline) {
  iterations_ = first_iterations(sizes);
  tuned_.sizes = std::move(sizes);
}

std::optional<TrialOrder> Conductor::next(double now) {
  if (ended_) return std::nullopt;
  TrialOrder order;
  order.number = ++trials_;
  order.iterations = iterations_;
  if (trials_ == 1) {
    order.deadline = deadline_ = first_deadline_;
    order.asks_for_transports = true;
    return order;
  }
  if (to_do_.empty() && !begin_round(now)) return std::nullopt;
  deadline_ = std::max(kLeastDeadline, kHangs * seconds_of_trial_);
  // The round may take longer than was thought.
  order.deadline = std::min(deadline_, budget_ - now);
  if (order.deadline < seconds_of_trial_) {
    ended_ = true;
    return std::nullopt;
  }
  if (to_do_.back() >= kSettings) order.setting = tuned_.settings[to_do_.back() - kSettings];
  return order;
}

bool Conductor::begin_round(double now) {
  const auto trials = static_cast<double>(kSettings + alive());
  ended_ = alive() == 0 || now + trials * seconds_of_trial_ > budget_;
  if (ended_) return false;
  round_ = TuneRound();
  round_.of_settings.resize(tuned_.settings.size());
  to_do_ = shuffled();
  return true;
}

/// Another order in each round, so that what drifts in the machine hits all alike.
std::vector<std::size_t> Conductor::shuffled() {
  std::vector<std::size_t> places{kAsItIs, kAsItIsAgain};
  for (std::size_t s = 0; s < tuned_.settings.size(); ++s)
    if (tuned_.failures[s].empty()) places.push_back(kSettings + s);
  std::mt19937 generator(static_cast<unsigned>(tuned_.rounds.size()) + 1);
  std::shuffle(places.begin(), places.end(), generator);
  return places;
}

std::size_t Conductor::alive() const {
  return static_cast<std::size_t>(
      std::count_if(tuned_.failures.begin(), tuned_.failures.end(), [](const auto& why) { return why.empty(); }));
}

void Conductor::add(const TrialReport& report, double began, double now) {
  if (trials_ == 1) {
    if (report.failed()) {
      failure_ = report.error;
      failure_is_timeout_ = report.timed_out;
      ended_ = true;
      return;
    }
    first_seconds_ = report.seconds;
    iterations_ = iterations_for(report.seconds);
    seconds_of_trial_ = now - began;
    return;
  }
  // The budget's end, not the setting, has ended it.
  if (report.timed_out && now - began < deadline_) {
    ended_ = true;
    return;
  }
  const std::size_t place = to_do_.back();
  to_do_.pop_back();
  if (!report.failed()) {
    // The mean of the last few: the first one took longer.
    seconds_of_trial_ += (now - began - seconds_of_trial_) / std::min(trials_ - 1, 8);
    (place == kAsItIs        ? round_.as_it_is
     : place == kAsItIsAgain ? round_.as_it_is_again
                             : round_.of_settings[place - kSettings]) = report.seconds;
  } else if (place >= kSettings) {
    tuned_.failures[place - kSettings] = report.error;
  } else {
    failure_ = report.error;
    failure_is_timeout_ = report.timed_out;
    ended_ = true;
    return;
  }
  if (to_do_.empty()) tuned_.rounds.push_back(round_);
}

void Conductor::choose(std::vector<TunedSetting> settings, double now) {
  const double trials = (budget_ - now) / std::max(seconds_of_trial_, 1e-3);
  const double fit = std::max(1.0, trials / kWantedRounds - static_cast<double>(kSettings));
  if (fit < static_cast<double>(settings.size())) {
    left_out_ = settings.size() - static_cast<std::size_t>(fit);
    settings.resize(static_cast<std::size_t>(fit));
  }
  tuned_.failures.assign(settings.size(), "");
  tuned_.settings = std::move(settings);
}

}  // namespace ringrun::worker
