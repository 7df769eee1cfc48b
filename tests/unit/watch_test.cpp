#include "worker/watch/watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace ringrun::worker {
namespace {

using std::chrono::milliseconds;

struct Heard {
  std::atomic<int> slow{0};
  std::atomic<int> progressed{0};
  std::atomic<int> expired{0};
  std::atomic<std::uint64_t> expired_sequence{0};

  Watch::Callbacks callbacks() {
    return {[this](const WatchedPhase&) { ++slow; }, [this] { ++progressed; },
            [this](const WatchedPhase& phase, Watch&) {
              ++expired;
              expired_sequence = phase.sequence;
            }};
  }
};

template <typename Condition>
bool becomes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + milliseconds(3000);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(10));
  }
  return false;
}

TEST(Watch, TellsAPhaseThatOutlastsItsDeadlineWhileTheMainThreadIsStuck) {
  Heard heard;
  Watch watch(heard.callbacks());
  { const auto quick = watch.enter("quick", 10); }
  const auto phase = watch.enter("stuck", 0.2);
  EXPECT_TRUE(becomes_true([&] { return heard.expired > 0; }));
  EXPECT_EQ(heard.expired_sequence, 2u);
  EXPECT_GE(heard.slow, 1);
}

TEST(Watch, TellsASlowPhaseAgainAndAgainLongBeforeItsDeadline) {
  Heard heard;
  Watch watch(heard.callbacks(), 0.1);
  const auto phase = watch.enter("slow", 60);
  EXPECT_TRUE(becomes_true([&] { return heard.slow >= 3; }));
  EXPECT_EQ(heard.expired, 0);
}

TEST(Watch, TellsOnceThatASlowPhaseHasEnded) {
  Heard heard;
  Watch watch(heard.callbacks(), 0.1);
  {
    const auto phase = watch.enter("slow", 60);
    EXPECT_TRUE(becomes_true([&] { return heard.slow >= 1; }));
    EXPECT_EQ(heard.progressed, 0);
  }
  EXPECT_TRUE(becomes_true([&] { return heard.progressed == 1; }));
  const auto next = watch.enter("quick", 60);
  std::this_thread::sleep_for(milliseconds(80));
  EXPECT_EQ(heard.progressed, 1);
}

TEST(Watch, LetsAPhaseThatEndsAfterItsDeadlineGoOn) {
  Heard heard;
  auto callbacks = heard.callbacks();
  std::atomic<bool> lasted_first{false};
  std::atomic<bool> lasted_last{true};
  std::atomic<bool> was_held{true};
  callbacks.on_expired = [&](const WatchedPhase& phase, Watch& watch) {
    ++heard.expired;
    lasted_first = watch.lasts(phase.sequence);
    becomes_true([&] { return !watch.lasts(phase.sequence); });
    lasted_last = watch.lasts(phase.sequence);
    was_held = watch.hold(phase.sequence).has_value();
  };
  Watch watch(callbacks);
  {
    const auto phase = watch.enter("late", 0.1);
    ASSERT_TRUE(becomes_true([&] { return heard.expired > 0; }));
  }
  const auto next = watch.enter("next", 60);
  EXPECT_TRUE(becomes_true([&] { return heard.progressed == 1; }));
  EXPECT_TRUE(lasted_first);
  EXPECT_FALSE(lasted_last);
  EXPECT_FALSE(was_held);
  EXPECT_EQ(heard.expired, 1);
}

TEST(Watch, KeepsTheMainThreadInAPhaseThatIsHeld) {
  Heard heard;
  auto callbacks = heard.callbacks();
  std::atomic<bool> left{false};
  std::atomic<bool> left_while_held{true};
  callbacks.on_expired = [&](const WatchedPhase& phase, Watch& watch) {
    if (const auto held = watch.hold(phase.sequence)) {
      ++heard.expired;
      std::this_thread::sleep_for(milliseconds(200));
      left_while_held = left.load();
    }
  };
  Watch watch(callbacks);
  {
    const auto phase = watch.enter("late", 0.1);
    ASSERT_TRUE(becomes_true([&] { return heard.expired > 0; }));
  }
  left = true;
  EXPECT_FALSE(left_while_held);
}

TEST(Watch, SaysNothingOutsideAPhaseOrWithoutADeadline) {
  Heard heard;
  Watch watch(heard.callbacks(), 0.05);
  { const auto phase = watch.enter("short", 0.1); }
  const auto endless = watch.enter("without a deadline", 0);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(heard.slow, 0);
  EXPECT_EQ(heard.expired, 0);
}

}  // namespace
}  // namespace ringrun::worker
