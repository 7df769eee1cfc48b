#include "worker/tune/conductor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace ringrun::worker {
namespace {

using testing::ElementsAre;

TrialReport good(double seconds = 1e-3) { return {{seconds, seconds}, "", false, false, {}}; }
TrialReport bad(const std::string& why, bool timed_out = false) { return {{}, why, timed_out, false, {}}; }

std::vector<TunedSetting> some_settings(std::size_t count) {
  std::vector<TunedSetting> settings;
  for (std::size_t i = 0; i < count; ++i) settings.push_back({{{"NCCL_X", {std::to_string(i)}}}});
  return settings;
}

/// A tuning whose trials take a second each, by a clock of its own.
struct Played {
  explicit Played(double budget) : conductor({8, 8 << 20}, budget, 60) {}

  /// Nothing at the end.
  std::optional<TrialOrder> play(const TrialReport& report = good(), double takes = 1) {
    auto order = conductor.next(now);
    if (!order) return order;
    conductor.add(report, now, now + takes);
    now += takes;
    return order;
  }

  Conductor conductor;
  double now = 0;
};

TEST(TuneConductor, BeginsWithTheEnvironmentAsItIsAndAsksWhatJoinsTheRanks) {
  Played played(60);
  const auto first = played.play(good(1e-3));
  ASSERT_TRUE(first);
  EXPECT_TRUE(first->asks_for_transports);
  EXPECT_TRUE(first->setting.variables.empty());
  EXPECT_THAT(first->iterations, ElementsAre(50, 1));
  played.conductor.choose(some_settings(1), played.now);
  const auto second = played.play();
  ASSERT_TRUE(second);
  EXPECT_FALSE(second->asks_for_transports);
  EXPECT_THAT(second->iterations, ElementsAre(10, 10));
}

TEST(TuneConductor, RunsEverySettingOnceARoundAndTheEnvironmentAsItIsTwiceInAnotherOrderEachTime) {
  Played played(200);
  played.play();
  played.conductor.choose(some_settings(4), played.now);
  std::set<std::vector<std::string>> orders;
  for (int round = 0; round < 10; ++round) {
    std::vector<std::string> order;
    for (int i = 0; i < 6; ++i) {
      const auto trial = played.play();
      ASSERT_TRUE(trial);
      order.push_back(trial->setting.variables.empty() ? "" : trial->setting.variables.front().values.front());
    }
    EXPECT_THAT(order, testing::UnorderedElementsAre("", "", "0", "1", "2", "3"));
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 5u);
  EXPECT_EQ(played.conductor.tuned().rounds.size(), 10u);
}

TEST(TuneConductor, BeginsNoRoundThatWouldNotEndWithinTheTime) {
  Played played(30);
  played.play();
  played.conductor.choose(some_settings(2), played.now);
  while (played.play()) {
  }
  EXPECT_LE(played.now, 30);
  EXPECT_EQ(played.conductor.tuned().rounds.size(), 7u);
}

TEST(TuneConductor, LeavesOutSettingsForWhichTheTimeDoesNotSuffice) {
  Played played(31);
  played.play();
  played.conductor.choose(some_settings(9), played.now);
  EXPECT_EQ(played.conductor.tuned().settings.size(), 4u);
  EXPECT_EQ(played.conductor.left_out(), 5u);
  while (played.play()) {
  }
  EXPECT_EQ(played.conductor.tuned().rounds.size(), 5u);
}

TEST(TuneConductor, DropsASettingThatFailedAndGoesOnWithTheOthers) {
  Played played(60);
  played.play();
  played.conductor.choose(some_settings(2), played.now);
  while (const auto order = played.conductor.next(played.now)) {
    const bool is_first = !order->setting.variables.empty() && order->setting.variables.front().values.front() == "0";
    EXPECT_TRUE(!is_first || played.conductor.tuned().rounds.empty());
    played.conductor.add(is_first ? bad("died") : good(), played.now, played.now + 1);
    played.now += 1;
  }
  EXPECT_THAT(played.conductor.tuned().failures, ElementsAre("died", ""));
  EXPECT_GT(played.conductor.tuned().rounds.size(), 10u);
  EXPECT_EQ(played.conductor.failure(), "");
}

TEST(TuneConductor, GivesATrialSeveralTimesWhatTheOthersTookButNotMoreThanIsLeft) {
  Played played(60);
  played.play(good(), 3);
  played.conductor.choose(some_settings(1), played.now);
  EXPECT_DOUBLE_EQ(played.conductor.next(played.now)->deadline, 15);
  Played short_one(20);
  short_one.play(good(), 3);
  short_one.conductor.choose(some_settings(1), short_one.now);
  EXPECT_LE(short_one.conductor.next(short_one.now)->deadline, 17);
}

TEST(TuneConductor, DoesNotBlameASettingThatTheTimesEndHasStopped) {
  Played played(10);
  played.play(good(), 2.5);
  played.conductor.choose(some_settings(1), played.now);
  // 7.5 s are left, and a trial that hangs is one of more than 8.
  ASSERT_TRUE(played.play(bad("did not end in time", true), 7.5));
  EXPECT_THAT(played.conductor.tuned().failures, ElementsAre(""));
  EXPECT_EQ(played.conductor.failure(), "");
  EXPECT_FALSE(played.play());
}

TEST(TuneConductor, EndsWhereTheEnvironmentAsItIsFails) {
  Played played(60);
  played.play(bad("no route to host"));
  EXPECT_EQ(played.conductor.failure(), "no route to host");
  EXPECT_FALSE(played.conductor.failure_is_timeout());
  EXPECT_FALSE(played.play());
}

TEST(TuneConductor, EndsWhereNothingIsToBeTried) {
  Played played(60);
  played.play();
  played.conductor.choose({}, played.now);
  EXPECT_FALSE(played.play());
}

}  // namespace
}  // namespace ringrun::worker
