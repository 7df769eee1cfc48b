#include "worker/tune/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace ringrun::worker {
namespace {

/// Clocks and averages are no better than this, as a share.
constexpr double kResolution = 0.001;

/// One setting and one class, over the rounds.
struct Comparison {
  double mean = 0;            ///< of the logarithm of time against time as it is: below 0 is faster
  double standard_error = 0;  ///< of that mean
};

/// `settings` has the differences of each round to the mean of both times as it is, and `twice` those between the two.
Comparison compare(const std::vector<double>& differences, double twice_squared) {
  const auto rounds = static_cast<double>(differences.size());
  Comparison comparison;
  comparison.mean = std::accumulate(differences.begin(), differences.end(), 0.0) / rounds;
  double squares = 0;
  for (double difference : differences) squares += (difference - comparison.mean) * (difference - comparison.mean);
  const double variance = squares / (rounds - 1);
  // With the same noise in each time, a difference to the mean of two varies by 1 + 1/2 of it, one between two by 2.
  const double variance_as_it_is = 0.75 * twice_squared;
  comparison.standard_error = std::max(std::sqrt(std::max(variance, variance_as_it_is) / rounds), kResolution);
  return comparison;
}

/// Mean over the class's sizes of log(a / b).
double log_ratio(const std::vector<double>& a, const std::vector<double>& b, const std::vector<std::size_t>& sizes) {
  double sum = 0;
  for (std::size_t at : sizes) sum += std::log(a[at] / b[at]);
  return sum / static_cast<double>(sizes.size());
}

std::vector<std::size_t> sizes_in(SizeClass size_class, const std::vector<std::int64_t>& sizes) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (size_class_of(sizes[i]) == size_class) places.push_back(i);
  return places;
}

double mean_square(const std::vector<double>& values) {
  double squares = 0;
  for (double value : values) squares += value * value;
  return squares / static_cast<double>(values.size());
}

ClassEffect effect_of(const Comparison& comparison, double factor) {
  ClassEffect effect;
  effect.speed = std::exp(-comparison.mean);
  const double open = factor * comparison.standard_error;
  const bool faster = comparison.mean < 0;
  effect.sure_speed =
      faster ? std::max(1.0, std::exp(-comparison.mean - open)) : std::min(1.0, std::exp(-comparison.mean + open));
  const bool sure = std::abs(comparison.mean) > std::max(open, std::log(kLeastGain));
  if (sure) effect.effect = faster ? Effect::kFaster : Effect::kSlower;
  return effect;
}

ClassVerdict verdict_of(const TuneRounds& tuned, SizeClass size_class, double factor) {
  ClassVerdict verdict;
  verdict.size_class = size_class;
  verdict.effects.resize(tuned.settings.size());
  for (std::size_t s = 0; s < tuned.settings.size(); ++s)
    if (!tuned.failures[s].empty()) verdict.effects[s].effect = Effect::kFailed;
  if (tuned.rounds.empty()) return verdict;
  const std::vector<std::size_t> sizes = sizes_in(size_class, tuned.sizes);
  std::vector<double> twice;
  for (const TuneRound& round : tuned.rounds) twice.push_back(log_ratio(round.as_it_is_again, round.as_it_is, sizes));
  // Each of the two has its part in their difference.
  verdict.noise = std::sqrt(mean_square(twice) / 2);
  if (tuned.rounds.size() < kLeastRounds) return verdict;
  for (std::size_t s = 0; s < tuned.settings.size(); ++s) {
    if (verdict.effects[s].effect == Effect::kFailed) continue;
    std::vector<double> differences;
    for (const TuneRound& round : tuned.rounds) {
      differences.push_back((log_ratio(round.of_settings[s], round.as_it_is, sizes) +
                             log_ratio(round.of_settings[s], round.as_it_is_again, sizes)) /
                            2);
    }
    verdict.effects[s] = effect_of(compare(differences, mean_square(twice)), factor);
    const bool better = !verdict.recommended || verdict.effects[*verdict.recommended].speed < verdict.effects[s].speed;
    if (verdict.effects[s].effect == Effect::kFaster && better) verdict.recommended = s;
  }
  return verdict;
}

}  // namespace

const char* name_of(Effect effect) {
  switch (effect) {
    case Effect::kFaster:
      return "faster";
    case Effect::kSlower:
      return "slower";
    case Effect::kWithinNoise:
      return "noise";
    case Effect::kFailed:
      break;
  }
  return "failed";
}

std::vector<ClassVerdict> verdicts_of(const TuneRounds& tuned, double noise_factor) {
  std::vector<ClassVerdict> verdicts;
  for (SizeClass size_class : classes_of(tuned.sizes)) verdicts.push_back(verdict_of(tuned, size_class, noise_factor));
  return verdicts;
}

double noise_factor(std::size_t rounds, std::size_t settings, std::size_t classes) {
  constexpr std::size_t kDrawn = 20'000;
  constexpr std::size_t kMostRounds = 30;  // hardly anything changes beyond
  if (rounds < kLeastRounds || settings == 0) return 0;
  rounds = std::min(rounds, kMostRounds);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::vector<double> largest;
  std::vector<double> middle(rounds);
  std::vector<double> twice(rounds);
  std::vector<double> differences(rounds);
  for (std::size_t i = 0; i < kDrawn; ++i) {
    double most = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t r = 0; r < rounds; ++r) {
        const double one = normal(generator);
        const double other = normal(generator);
        middle[r] = (one + other) / 2;
        twice[r] = other - one;
      }
      const double twice_squared = mean_square(twice);
      for (std::size_t s = 0; s < settings; ++s) {
        for (std::size_t r = 0; r < rounds; ++r) differences[r] = normal(generator) - middle[r];
        const Comparison drawn = compare(differences, twice_squared);
        most = std::max(most, -drawn.mean / drawn.standard_error);
      }
    }
    largest.push_back(most);
  }
  const auto at = static_cast<std::ptrdiff_t>(static_cast<double>(kDrawn) * (1 - kFalseAlarms));
  std::nth_element(largest.begin(), largest.begin() + at, largest.end());
  return largest[static_cast<std::size_t>(at)];
}

}  // namespace ringrun::worker
