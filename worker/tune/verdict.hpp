#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/tune/setting.hpp"
#include "worker/tune/size_class.hpp"

namespace ringrun::worker {

/// One round: every setting once and the environment as it is twice, each in fresh processes, in another order each
/// time. Times are seconds of one operation, of each size.
struct TuneRound {
  std::vector<double> as_it_is;
  std::vector<double> as_it_is_again;
  std::vector<std::vector<double>> of_settings;  ///< empty for one that has failed
};

/// What a tuning has measured.
struct TuneRounds {
  std::vector<std::int64_t> sizes;
  std::vector<TunedSetting> settings;
  std::vector<std::string> failures;  ///< of each setting; "": none
  std::vector<TuneRound> rounds;      ///< whole ones
};

enum class Effect { kFaster, kSlower, kWithinNoise, kFailed };

/// "faster", "slower", "noise", "failed".
const char* name_of(Effect effect);

/// What a setting does to one class of sizes.
struct ClassEffect {
  Effect effect = Effect::kWithinNoise;
  double speed = 1;       ///< times as fast as it is; geometric mean over the class's sizes and the rounds
  double sure_speed = 1;  ///< the end, towards 1, of what the noise leaves open
};

struct ClassVerdict {
  SizeClass size_class = SizeClass::kSmall;
  double noise = 0;  ///< how much one measurement differs from the next one of the same, as a share (root mean square)
  std::vector<ClassEffect> effects;        ///< of each setting
  std::optional<std::size_t> recommended;  ///< the setting
};

/// Fewer rounds tell nothing about the noise.
inline constexpr std::size_t kLeastRounds = 3;
/// Of pure noise, the share of tunings that recommend something.
inline constexpr double kFalseAlarms = 0.01;
/// Smaller gains are not worth a line in a file.
inline constexpr double kLeastGain = 1.03;

/// The rule. In each round a setting's time is compared with the mean of both times as it is, by logarithms, mean over
/// the class's sizes. What these differences vary by from round to round, or the two times as they are differ by if
/// that is more, is the noise. A setting is faster (or slower) where its mean difference is more than `noise_factor`
/// times the standard error that follows, and 3 %; the fastest of the faster ones is recommended. Nothing is below
/// three rounds.
std::vector<ClassVerdict> verdicts_of(const TuneRounds& tuned, double noise_factor);

/// So many standard errors that, where no setting does anything and the noise of logarithms is normal, in one tuning of
/// a hundred any of them is called faster. Found by drawing such tunings, always the same ones.
/// Takes a tenth of a second.
double noise_factor(std::size_t rounds, std::size_t settings, std::size_t classes);

}  // namespace ringrun::worker
