#include "worker/tune/verdict.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace ringrun::worker {
namespace {

const std::vector<std::int64_t> kSizes{8, 4096, 64 << 10, 1 << 20, 8 << 20, 32 << 20};

std::vector<TunedSetting> some_settings(std::size_t count) {
  std::vector<TunedSetting> settings;
  for (std::size_t i = 0; i < count; ++i) settings.push_back({{{"NCCL_X", {std::to_string(i)}}}});
  return settings;
}

/// `draw` gives the logarithm of the noise of one process, which all its sizes have, and of one time in it.
TuneRounds draw_tuning(std::size_t rounds, std::size_t settings, const std::function<double()>& draw,
                       const std::function<double(std::size_t setting, std::int64_t bytes)>& speed) {
  TuneRounds tuned;
  tuned.sizes = kSizes;
  tuned.settings = some_settings(settings);
  tuned.failures.resize(settings);
  const auto trial = [&](double drift, const std::function<double(std::int64_t)>& of) {
    const double process = draw();
    std::vector<double> seconds;
    for (std::int64_t bytes : kSizes) {
      const double one = 30e-6 + static_cast<double>(bytes) / 3e9;
      seconds.push_back(one / of(bytes) * std::exp(drift + process + draw() / 4));
    }
    return seconds;
  };
  for (std::size_t r = 0; r < rounds; ++r) {
    // The machine becomes slower all the time.
    const double drift = 0.05 * static_cast<double>(r);
    TuneRound round;
    round.as_it_is = trial(drift, [](std::int64_t) { return 1.0; });
    round.as_it_is_again = trial(drift, [](std::int64_t) { return 1.0; });
    for (std::size_t s = 0; s < settings; ++s)
      round.of_settings.push_back(trial(drift, [&](std::int64_t bytes) { return speed(s, bytes); }));
    tuned.rounds.push_back(round);
  }
  return tuned;
}

double no_effect(std::size_t, std::int64_t) { return 1; }

std::vector<ClassVerdict> judge(const TuneRounds& tuned) {
  return verdicts_of(tuned, noise_factor(tuned.rounds.size(), tuned.settings.size(), 3));
}

int false_alarms(std::size_t rounds, std::size_t settings, const std::function<double(std::mt19937&)>& noise) {
  const double factor = noise_factor(rounds, settings, 3);
  int alarms = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    std::mt19937 generator(seed);
    const auto tuned = draw_tuning(
        rounds, settings, [&] { return noise(generator); }, no_effect);
    bool any = false;
    for (const ClassVerdict& verdict : verdicts_of(tuned, factor)) any = any || verdict.recommended;
    alarms += any ? 1 : 0;
  }
  return alarms;
}

double normal_noise(std::mt19937& generator) { return std::normal_distribution<double>(0, 0.1)(generator); }

/// One time in ten is up to half as long again, as where somebody else has the processor.
double noise_with_interruptions(std::mt19937& generator) {
  const bool interrupted = std::uniform_int_distribution<int>(0, 9)(generator) == 0;
  return std::normal_distribution<double>(0, 0.03)(generator) +
         (interrupted ? std::uniform_real_distribution<double>(0, 0.4)(generator) : 0);
}

/// In one of two states, as where a process lands on one or another set of caches.
double noise_of_two_states(std::mt19937& generator) {
  return std::normal_distribution<double>(0, 0.01)(generator) +
         0.3 * std::uniform_int_distribution<int>(0, 1)(generator);
}

TEST(TuneVerdict, RecommendsSomethingInOneTuningOfAHundredAtMostWhereThereIsOnlyNoise) {
  // 1 % of 1,000 is 10, and more than 20 of them would come of that by chance once in five hundred times.
  constexpr int kMost = 20;
  for (const std::size_t rounds : {3, 5, 12}) {
    EXPECT_LE(false_alarms(rounds, 5, normal_noise), kMost) << rounds << " rounds";
    EXPECT_LE(false_alarms(rounds, 5, noise_with_interruptions), kMost) << rounds << " rounds";
  }
  for (const std::size_t rounds : {5, 12})
    EXPECT_LE(false_alarms(rounds, 5, noise_of_two_states), kMost) << rounds << " rounds";
  EXPECT_LE(false_alarms(6, 9, normal_noise), kMost);
  EXPECT_LE(false_alarms(6, 1, normal_noise), kMost);
}

TEST(TuneVerdict, FindsWhatIsTwiceAsFastInFourRoundsOfNoise) {
  const double factor = noise_factor(4, 5, 3);
  int found = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    std::mt19937 generator(seed);
    const auto tuned = draw_tuning(
        4, 5, [&] { return std::normal_distribution<double>(0, 0.05)(generator); },
        [](std::size_t setting, std::int64_t bytes) { return setting == 2 && bytes >= 4 << 20 ? 2.5 : 1.0; });
    found += verdicts_of(tuned, factor).back().recommended == 2u ? 1 : 0;
  }
  EXPECT_GE(found, 95);
}

TEST(TuneVerdict, SaysHowMuchFasterAtLeastAndWhatItCosts) {
  std::mt19937 generator(1);
  const auto tuned = draw_tuning(
      8, 3, [&] { return std::normal_distribution<double>(0, 0.02)(generator); },
      [](std::size_t setting, std::int64_t bytes) {
        return setting == 0 ? (bytes >= 4 << 20 ? 2.5 : 0.6) : setting == 1 && bytes >= 4 << 20 ? 1.5 : 1.0;
      });
  const auto verdicts = judge(tuned);
  ASSERT_EQ(verdicts.size(), 3u);
  EXPECT_EQ(verdicts[2].recommended, 0u);
  EXPECT_NEAR(verdicts[2].effects[0].speed, 2.5, 0.1);
  EXPECT_LT(verdicts[2].effects[0].sure_speed, verdicts[2].effects[0].speed);
  EXPECT_GT(verdicts[2].effects[0].sure_speed, 2.0);
  EXPECT_EQ(verdicts[2].effects[1].effect, Effect::kFaster);
  EXPECT_EQ(verdicts[2].effects[2].effect, Effect::kWithinNoise);
  EXPECT_EQ(verdicts[0].effects[0].effect, Effect::kSlower);
  EXPECT_GT(verdicts[0].effects[0].sure_speed, verdicts[0].effects[0].speed);
  EXPECT_FALSE(verdicts[0].recommended);
  EXPECT_GT(verdicts[0].noise, 0.005);
  EXPECT_LT(verdicts[0].noise, 0.05);
}

TEST(TuneVerdict, RecommendsNoGainThatIsSureButTiny) {
  std::mt19937 generator(1);
  const auto tuned = draw_tuning(
      12, 1, [&] { return std::normal_distribution<double>(0, 0.001)(generator); },
      [](std::size_t, std::int64_t) { return 1.02; });
  for (const ClassVerdict& verdict : judge(tuned)) EXPECT_FALSE(verdict.recommended);
}

TEST(TuneVerdict, RecommendsNothingOfTwoRoundsNorWhatFailed) {
  const auto fast = [](std::size_t, std::int64_t) { return 3.0; };
  auto tuned = draw_tuning(
      2, 1, [] { return 0.001; }, fast);
  EXPECT_FALSE(judge(tuned).front().recommended);
  std::mt19937 generator(1);
  tuned = draw_tuning(
      4, 1, [&] { return std::normal_distribution<double>(0, 0.001)(generator); }, fast);
  EXPECT_TRUE(judge(tuned).front().recommended);
  tuned.failures[0] = "died";
  tuned.rounds.back().of_settings[0].clear();
  EXPECT_FALSE(judge(tuned).front().recommended);
  EXPECT_EQ(judge(tuned).front().effects[0].effect, Effect::kFailed);
}

}  // namespace
}  // namespace ringrun::worker
