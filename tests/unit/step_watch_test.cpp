#include "launcher/run/step_watch.hpp"

#include <gtest/gtest.h>

namespace ringrun {
namespace {

const std::vector<StartedHost> kHosts = {{"a", {"192.168.1.5", "172.17.0.1"}, 2, true},
                                         {"b", {"192.168.1.6"}, 1, false}};

/// Ranks 0 and 1 run on a, rank 2 on b.
StepWatch running_job() {
  StepWatch watch(kHosts);
  for (const auto& [rank, host] : {std::pair{0, 0}, {1, 0}, {2, 1}}) {
    StartRecord record;
    record.rank = rank;
    record.host = host;
    watch.add(record);
  }
  return watch;
}

TEST(StepWatch, AHostWhoseConnectionIsGoneWhileItsRanksRunIsLost) {
  StepWatch watch = running_job();
  EXPECT_TRUE(watch.is_new(1));
  watch.see({"192.168.1.5", "192.168.1.6"});
  EXPECT_FALSE(watch.is_new(1));
  for (int look = 0; look < 3; ++look) watch.see({"192.168.1.5"});
  EXPECT_EQ(watch.lost({"192.168.1.5"}), -1) << "its ranks' last words may be on their way";
  EXPECT_EQ(watch.lost({"192.168.1.5"}), 1);
}

TEST(StepWatch, AHostWhoseRanksHaveEndedIsNotLost) {
  StepWatch watch = running_job();
  EXPECT_EQ(watch.lost({"192.168.1.5", "192.168.1.6"}), -1);
  EndRecord end;
  end.rank = 2;
  watch.add(end);
  for (int look = 0; look < 3; ++look) EXPECT_EQ(watch.lost({"192.168.1.5"}), -1);
}

TEST(StepWatch, AHostThatWasNeverSeenIsNotLost) {
  StepWatch watch = running_job();
  for (int look = 0; look < 3; ++look) EXPECT_EQ(watch.lost({"10.0.0.1"}), -1) << "it comes by another address";
}

TEST(StepWatch, OneLookWithoutAConnectionIsForgotten) {
  StepWatch watch = running_job();
  EXPECT_EQ(watch.lost({"192.168.1.5", "192.168.1.6"}), -1);
  for (int look = 0; look < 3; ++look) {
    EXPECT_EQ(watch.lost({"192.168.1.5"}), -1);
    EXPECT_EQ(watch.lost({"192.168.1.5", "192.168.1.6"}), -1);
  }
}

}  // namespace
}  // namespace ringrun
