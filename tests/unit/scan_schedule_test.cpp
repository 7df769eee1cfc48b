#include "worker/scan/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace ringrun::worker {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// Fails where a pair is missing or doubled, or a host is twice in a round.
void expect_right_rounds(const std::vector<int>& host_of_node) {
  std::set<NodePair> seen;
  for (const Round& round : pair_rounds(host_of_node)) {
    EXPECT_FALSE(round.empty());
    std::multiset<int> hosts;
    for (const auto& [one, other] : round) {
      EXPECT_LT(one, other);
      EXPECT_TRUE(seen.insert({one, other}).second) << one << " and " << other << " twice";
      const std::set<int> ends{host_of_node[static_cast<std::size_t>(one)],
                               host_of_node[static_cast<std::size_t>(other)]};
      hosts.insert(ends.begin(), ends.end());
    }
    for (int host : hosts) EXPECT_EQ(hosts.count(host), 1u) << "host " << host << " is in two pairs of one round";
  }
  const std::size_t nodes = host_of_node.size();
  EXPECT_EQ(seen.size(), nodes * (nodes - 1) / 2);
}

TEST(PairRounds, AreATournamentOfHosts) {
  for (int hosts = 2; hosts <= 65; ++hosts) {
    std::vector<int> host_of_node(static_cast<std::size_t>(hosts));
    std::iota(host_of_node.begin(), host_of_node.end(), 0);
    expect_right_rounds(host_of_node);
    EXPECT_THAT(pair_rounds(host_of_node), SizeIs(hosts % 2 == 0 ? hosts - 1 : hosts)) << hosts << " hosts";
  }
}

TEST(PairRounds, OfRanksShareNoHostEither) {
  for (int hosts = 1; hosts <= 6; ++hosts) {
    for (int each = 1; each <= 4; ++each) {
      std::vector<int> by_host, in_turn;
      for (int node = 0; node < hosts * each; ++node) {
        by_host.push_back(node / each);
        in_turn.push_back(node % hosts);
      }
      expect_right_rounds(by_host);
      expect_right_rounds(in_turn);
    }
  }
  expect_right_rounds({0, 0, 0, 1, 2, 2});
}

TEST(PairRounds, AreNoneForOneNode) { EXPECT_THAT(pair_rounds({0}), IsEmpty()); }

}  // namespace
}  // namespace ringrun::worker
