#include <gtest/gtest.h>

#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/name_ranges.hpp"
#include "launcher/hosts/named_hosts.hpp"
#include "launcher/hosts/slots.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

std::string names(const HostList& hosts) {
  std::string text;
  for (const Host& host : hosts) {
    text += (text.empty() ? "" : " ") + host.name + (host.slots ? ":" + std::to_string(*host.slots) : "");
  }
  return text;
}

TEST(NameRanges, FoldNamesThatCountUpwardsAndKeepTheirOrder) {
  using Words = std::vector<std::string>;
  const std::vector<std::pair<Words, Words>> cases = {
      {{"n08", "n09", "n10", "n12"}, {"n[08-10]", "n12"}},
      {{"n9", "n10", "m1"}, {"n[9-10]", "m1"}},
      {{"r1-ib0", "r2-ib0", "r2-ib1"}, {"r[1-2]-ib0", "r2-ib1"}},
      {{"10.0.0.254", "10.0.0.255", "10.0.1.0"}, {"10.0.0.[254-255]", "10.0.1.0"}},
      {{"b", "a", "a1", "a01"}, {"b", "a", "a1", "a01"}},
      {{"n2", "n1", "n1"}, {"n2", "n1", "n1"}},
      {{"n123456789", "n123456790"}, {"n123456789", "n123456790"}},
      {{}, {}},
  };
  for (const auto& [names, words] : cases) {
    EXPECT_EQ(fold_names(names), words);
    Words again;
    for (const std::string& word : words) {
      for (const std::string& name : expand_name(word)) again.push_back(name);
    }
    EXPECT_EQ(again, names);
  }
}

TEST(NamedHosts, ListsAddUpAndRepeatsAddSlots) {
  EXPECT_EQ(names(choose_hosts(std::nullopt, {"a,b:2", "c,b"})), "a b:3 c");
  EXPECT_EQ(names(choose_hosts(std::nullopt, {"a,a"})), "a:2");
  EXPECT_EQ(names(choose_hosts(std::nullopt, {"n[1-2]:4,joe@c"})), "n1:4 n2:4 c");
}

TEST(NamedHosts, AnIpv6AddressMayStandInBrackets) {
  EXPECT_EQ(names(choose_hosts(std::nullopt, {"[fd00::2]:4,b"})), "fd00::2 b") << "and is refused by its name later";
}

TEST(NamedHosts, AStarMeansEverySlot) {
  const HostList hosts = choose_hosts(std::nullopt, {"a:*,b"});
  EXPECT_TRUE(hosts.at(0).cores_unless_said);
  EXPECT_FALSE(hosts.at(1).cores_unless_said);
}

HostPool pool(const std::string& text) { return {parse_hostfile(text, "ab"), "the hostfile"}; }

TEST(NamedHosts, WithAHostfileTheyChooseFromIt) {
  const HostPool file = pool("a slots=4 port=22\nb slots=2\nc");
  const HostList hosts = choose_hosts(file, {"b:2,ann@a:1"});
  EXPECT_EQ(names(hosts), "b:2 a:1");
  EXPECT_EQ(hosts.at(1).port, 22);
  EXPECT_EQ(hosts.at(1).user, "ann");
  EXPECT_EQ(problem_of([&] { choose_hosts(file, {"d"}); }), "-H 'd': 'd' is not in the hostfile");
  EXPECT_EQ(names(choose_hosts(file, {})), "a:4 b:2 c");
}

TEST(NamedHosts, ABareNameIsOneSlotAsMpirunCountsAndTheHostfilesSlotsWhereThereAreGpus) {
  const HostPool file = pool("a slots=4\nb slots=2");
  const HostList bare = choose_hosts(file, {"b,a"});
  EXPECT_EQ(resolve_slots(bare, {{0, 64}, {0, 64}}, false), (std::vector{1, 1}));
  EXPECT_EQ(resolve_slots(bare, {{8, 64}, {8, 64}}, false), (std::vector{2, 4}));
  EXPECT_EQ(resolve_slots(choose_hosts(file, {"b,b,a:*"}), {{8, 64}, {0, 64}}, false), (std::vector{2, 4}));
}

TEST(NamedHosts, AHostCanBeLeftOut) {
  const HostPool file = pool("a slots=4\nb slots=2\nc");
  EXPECT_EQ(names(choose_hosts(file, {"^b"})), "a:4 c");
  EXPECT_EQ(names(choose_hosts(file, {"a:1,c:2,^c"})), "a:1");
  EXPECT_EQ(problem_of([&] { choose_hosts(file, {"^d"}); }), "-H '^d': 'd' is not in the hostfile");
  EXPECT_EQ(problem_of([&] { choose_hosts(file, {"^a,^b,^c"}); }),
            "no host is left to use: -H leaves out, or slots=0 empties, all of the hostfile");
  EXPECT_EQ(problem_of([&] { choose_hosts(std::nullopt, {"^a"}); }), "-H '^a': '^a' leaves a host out of nothing");
}

TEST(NamedHosts, CanBeNamedByTheirPlaceInTheHostfile) {
  const HostPool file = pool("a slots=4\nb slots=2\nc");
  EXPECT_EQ(names(choose_hosts(file, {"+n1,+n0"})), "b:2 a:4");
  EXPECT_EQ(names(choose_hosts(file, {"+e"})), "a:4 b:2 c");
  EXPECT_EQ(names(choose_hosts(file, {"+e:2"})), "a:4 b:2");
  EXPECT_EQ(problem_of([&] { choose_hosts(file, {"+n3"}); }), "-H '+n3': '+n3' is beyond the 3 hosts of the hostfile");
  EXPECT_EQ(problem_of([&] { choose_hosts(file, {"+x"}); }), "-H '+x': '+x' is not understood");
  EXPECT_EQ(problem_of([&] { choose_hosts(std::nullopt, {"+n0"}); }), "-H '+n0': '+n0' chooses from nothing");
}

TEST(NamedHosts, AHostWithoutSlotsHasNothingToDo) {
  const HostPool file = pool("head slots=0\na slots=2");
  EXPECT_EQ(names(choose_hosts(file, {})), "a:2");
  EXPECT_EQ(names(choose_hosts(file, {"head:1,a:1"})), "head:1 a:1");
}

TEST(NamedHosts, WithoutAnyItIsThisHost) { EXPECT_EQ(names(choose_hosts(std::nullopt, {})), "localhost"); }

TEST(NamedHosts, SayWhatIsWrong) {
  EXPECT_EQ(choose_hosts(std::nullopt, {"a,,b,"}).size(), 2u);
  EXPECT_EQ(problem_of([] { choose_hosts(std::nullopt, {","}); }), "-H ',' names no host");
  EXPECT_EQ(problem_of([] { choose_hosts(std::nullopt, {"a:0"}); }),
            "-H 'a:0': 'slots=0' is not a whole number from 1 upwards");
}

TEST(Slots, UnsaidAreTheGpus) {
  const HostList hosts = parse_hostfile("a\nb slots=2", "ab");
  EXPECT_EQ(resolve_slots(hosts, {{8, 64}, {8, 64}}, false), (std::vector{8, 2}));
  EXPECT_EQ(resolve_slots(choose_hosts(std::nullopt, {"a"}), {{8, 64}}, false), std::vector{8});
}

TEST(Slots, WithoutGpusAHostfileMeansCoresAndAListMeansOne) {
  EXPECT_EQ(resolve_slots(parse_hostfile("a", "ab"), {{0, 64}}, false), std::vector{64});
  EXPECT_EQ(resolve_slots(choose_hosts(std::nullopt, {"a,b:*"}), {{0, 64}, {0, 32}}, false), (std::vector{1, 32}));
}

TEST(Slots, TheSweepWithoutGpusHasOneRankAHostUnlessSaid) {
  const HostList hosts = parse_hostfile("a\nb slots=2", "ab");
  EXPECT_EQ(resolve_slots(hosts, {{0, 64}, {0, 64}}, true), (std::vector{1, 2}));
  EXPECT_EQ(resolve_slots(hosts, {{0, 64}, {4, 64}}, true), (std::vector{64, 2}));
}

TEST(Slots, RanksFillHostsInOrder) {
  const HostList hosts = parse_hostfile("a\nb\nc", "ab");
  EXPECT_EQ(share_ranks(hosts, {2, 4, 4}, 0, false), (std::vector{2, 4, 4}));
  EXPECT_EQ(share_ranks(hosts, {2, 4, 4}, 3, false), (std::vector{2, 1, 0}));
  EXPECT_EQ(share_ranks(hosts, {1, 1, 1}, 8, true), (std::vector{3, 3, 2}));
}

TEST(Slots, MaximumsHoldWhereOversubscribingIsAllowed) {
  const HostList hosts = parse_hostfile("a slots=1 max_slots=2", "ab");
  EXPECT_EQ(share_ranks(hosts, {1}, 2, true), std::vector{2});
  EXPECT_EQ(problem_of([&] { share_ranks(hosts, {1}, 3, true); }),
            "-np 3 puts 3 ranks on a, whose max_slots is 2 (ab:1)");
}

TEST(Slots, TooManyRanksNameEachHostAndTheRemedies) {
  const HostList hosts = parse_hostfile("a\nb", "ab");
  EXPECT_EQ(error_text([&] {
              share_ranks(hosts, {8, 4}, 16, false);
            }),
            "-np 16 wants 16 slots, the hosts have 12: a 8, b 4 | say more with slots=N in the hostfile or -H HOST:N, "
            "add hosts, or allow it with --oversubscribe");
}

}  // namespace
}  // namespace ringrun
