#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lib/net/reachability.hpp"

namespace ringrun {
namespace {

TEST(Outcome, OfARejectWhoseOtherAnswersTheKernelHeldBackIsNoSilence) {
  Link link;
  link.attempts = {{4000, Outcome::no_host, 113, 1}, {4001, Outcome::dropped, 110, 2500}};
  EXPECT_EQ(outcome_of(link), Outcome::no_host);
  link.attempts[0].milliseconds = 3000;
  EXPECT_EQ(outcome_of(link), Outcome::dropped);
}

Link link_of(const std::vector<Outcome>& outcomes) {
  Link link;
  for (const Outcome outcome : outcomes) link.attempts.push_back({1, outcome});
  return link;
}

TEST(Link, IsGoodWhereEveryPortReachedTheHost) {
  EXPECT_TRUE(is_good(link_of({Outcome::reached, Outcome::reached})));
  EXPECT_FALSE(is_good(link_of({Outcome::reached, Outcome::dropped})));
  EXPECT_FALSE(is_good(link_of({})));
}

TEST(Link, IsNamedByItsWorstAttempt) {
  EXPECT_EQ(outcome_of(link_of({Outcome::reached, Outcome::reached})), Outcome::reached);
  EXPECT_EQ(outcome_of(link_of({Outcome::reached, Outcome::refused})), Outcome::refused);
  EXPECT_EQ(outcome_of(link_of({Outcome::dropped, Outcome::refused})), Outcome::dropped);
  EXPECT_EQ(outcome_of(link_of({Outcome::dropped, Outcome::wrong_host, Outcome::reached})), Outcome::wrong_host);
  EXPECT_EQ(outcome_of(link_of({})), Outcome::dropped);
}

TEST(Link, IsFoundByItsDirection) {
  ReachMatrix matrix(3);
  matrix[0].from = 0, matrix[0].to = 1;
  matrix[1].from = 1, matrix[1].to = 0;
  matrix[2].from = 0, matrix[2].to = 1;
  EXPECT_THAT(links_between(matrix, 0, 1), testing::ElementsAre(&matrix[0], &matrix[2]));
  EXPECT_THAT(links_between(matrix, 1, 0), testing::ElementsAre(&matrix[1]));
}

TEST(Partners, AreAllOthersOfAFewHosts) {
  EXPECT_THAT(choose_partners(0, 1), testing::IsEmpty());
  EXPECT_THAT(choose_partners(1, 1), testing::ElementsAre(testing::IsEmpty()));
  const auto partners = choose_partners(4, 1);
  EXPECT_THAT(partners[0], testing::ElementsAre(1, 2, 3));
  EXPECT_THAT(partners[2], testing::ElementsAre(0, 1, 3));
  EXPECT_EQ(choose_partners(32, 1)[31].size(), 31u);
}

TEST(Partners, OfManyHostsGrowAsTheLogarithmAndLeaveNobodyOut) {
  for (const int hosts : {33, 34, 100, 1000}) {
    const auto partners = choose_partners(hosts, 7);
    ASSERT_EQ(partners.size(), static_cast<std::size_t>(hosts));
    std::vector<std::size_t> tried_by(partners.size());
    for (int host = 0; host < hosts; ++host) {
      const auto& list = partners[host];
      EXPECT_LE(list.size(), std::log2(hosts) + 4) << hosts;
      EXPECT_THAT(list, testing::Contains((host + 1) % hosts));
      EXPECT_THAT(list, testing::Contains((host + hosts - 1) % hosts));
      EXPECT_THAT(list, testing::Not(testing::Contains(host)));
      EXPECT_EQ(std::adjacent_find(list.begin(), list.end()), list.end()) << "nobody is tried twice";
      for (const int partner : list) {
        ++tried_by[partner];
        EXPECT_THAT(partners[partner], testing::Contains(host)) << "both directions are seen";
      }
    }
    for (const std::size_t count : tried_by) EXPECT_EQ(count, partners[0].size()) << hosts;
  }
}

TEST(Partners, FollowFromTheSeedAlone) {
  EXPECT_EQ(choose_partners(100, 3), choose_partners(100, 3));
  EXPECT_NE(choose_partners(100, 3), choose_partners(100, 4));
}

}  // namespace
}  // namespace ringrun
