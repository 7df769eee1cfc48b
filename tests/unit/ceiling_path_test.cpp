// The ceiling of a path, how much of it a row reached, and what the head of the table says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "worker/ceiling/path_choice.hpp"
#include "worker/report/expected_lines.hpp"
#include "worker/report/table.hpp"

namespace ringrun::worker {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::DoubleNear;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr double kTenGigabits = 1.25e9;

Port card(double bandwidth, bool nominal = false) { return {"eth0", bandwidth, "10 Gb/s, TCP at MTU 1500", nominal}; }

/// Hosts with one card each, and as many ranks on each host, host by host.
Path path_of(std::vector<double> bandwidths, int ranks_of_host, bool nominal = false) {
  Path path;
  std::vector<HostPorts> hosts;
  std::vector<int> host_of_rank;
  for (double bandwidth : bandwidths) {
    for (int i = 0; i < ranks_of_host; ++i) {
      path.group_ranks[0].push_back(static_cast<int>(host_of_rank.size()));
      host_of_rank.push_back(static_cast<int>(hosts.size()));
    }
    hosts.push_back({std::string(1, static_cast<char>('a' + hosts.size())), {card(bandwidth, nominal)}});
  }
  add_hosts(path, hosts, host_of_rank, CollectiveKind::kAllReduce);
  return path;
}

Row row_of(int ranks, double bus_bandwidth, const LibraryChoice& choice = {},
           CollectiveKind kind = CollectiveKind::kAllReduce) {
  Row row;
  row.operation.kind = kind;
  row.operation.ranks = ranks;
  row.operation = operation_of(row.operation, 1 << 20);
  for (Measurement* measured : {&row.out_of_place, &row.in_place}) {
    const double unit = bandwidth_of(row.operation, 1).bus;
    measured->seconds = ranks == 1 ? 1e-6 : unit / bus_bandwidth;
    measured->bandwidth = bandwidth_of(row.operation, measured->seconds);
    measured->expected.emplace().choice = choice;
  }
  return row;
}

Expectation judged(int ranks, double bus_bandwidth, const Path& path, const LibraryChoice& choice = {}) {
  Row row = row_of(ranks, bus_bandwidth, choice);
  judge(row, path);
  return *row.out_of_place.expected;
}

TEST(Ceiling, OfOneRankAHostIsItsCard) {
  const Expectation expected = judged(2, 0.9, path_of({kTenGigabits, kTenGigabits}, 1));
  EXPECT_THAT(expected.ceiling, testing::Optional(DoubleNear(1.25, 1e-9)));
  EXPECT_NEAR(expected.reached, 0.72, 1e-6);
  EXPECT_EQ(expected.remark, "");
}

TEST(Ceiling, IsThatOfTheSlowestCard) {
  EXPECT_NEAR(*judged(2, 0.1, path_of({kTenGigabits, kTenGigabits / 10}, 1)).ceiling, 0.125, 1e-9);
}

TEST(Ceiling, OfRanksThatShareAHostIsHigherThanItsCardButAroundARing) {
  const Path path = path_of({kTenGigabits, kTenGigabits}, 4);
  // 2 × 7/8 of the size for the bus, and the size itself for the card.
  EXPECT_NEAR(*judged(8, 1, path).ceiling, 1.25 * 7 / 4, 1e-6);
  EXPECT_NEAR(*judged(8, 1, path, {"RING", "SIMPLE", 2, 0}).ceiling, 1.25, 1e-6);
}

TEST(Ceiling, OfAProtocolWithFlagsIsWhatTheyLeave) {
  const Path path = path_of({kTenGigabits, kTenGigabits}, 1);
  EXPECT_NEAR(*judged(2, 0.5, path, {"RING", "LL", 2, 0}).ceiling, 0.625, 1e-6);
  EXPECT_NEAR(*judged(2, 0.5, path, {"RING", "LL128", 2, 0}).ceiling, 1.171875, 1e-6);
}

TEST(Ceiling, IsSharedByGroupsThatMeasureSideBySide) {
  Path path = path_of({kTenGigabits, kTenGigabits}, 2);
  path.group_ranks = {{0, {0, 2}}, {1, {1, 3}}};
  EXPECT_NEAR(*judged(2, 0.5, path).ceiling, 0.625, 1e-9);
}

TEST(Ceiling, ThatWasExceededMakesTheResultImpossible) {
  const Expectation expected = judged(2, 1.5, path_of({kTenGigabits, kTenGigabits}, 1));
  EXPECT_TRUE(expected.impossible);
  EXPECT_THAT(expected.remark, HasSubstr("20 % above what the path can carry"));
  EXPECT_FALSE(judged(2, 1.29, path_of({kTenGigabits, kTenGigabits}, 1)).impossible) << "within what timing may do";
}

TEST(Ceiling, OfAVirtualCardIsAWord) {
  const Expectation expected = judged(2, 3, path_of({kTenGigabits, kTenGigabits}, 1, true));
  EXPECT_FALSE(expected.impossible);
  EXPECT_THAT(expected.remark, HasSubstr("virtual card"));
}

TEST(Ceiling, ExplainsABusBandwidthAboveTheWire) {
  const Expectation tree = judged(8, 1.6, path_of({kTenGigabits, kTenGigabits}, 4), {"TREE", "SIMPLE", 2, 0});
  EXPECT_FALSE(tree.impossible);
  EXPECT_THAT(tree.remark, AllOf(HasSubstr("above the 1.25 GB/s"), HasSubstr("as trees do")));
  const Expectation sharp =
      judged(4, 1.6, path_of({kTenGigabits, kTenGigabits, kTenGigabits, kTenGigabits}, 1), {"COLLNET_CHAIN", "", 2, 0});
  EXPECT_THAT(sharp.remark, HasSubstr("the switches add up"));
}

TEST(Ceiling, OfOneRankIsNoneAndItsTimeInPlaceIsThatOfNothing) {
  Row row = row_of(1, 0);
  judge(row, {});
  EXPECT_FALSE(row.out_of_place.expected->ceiling);
  EXPECT_FALSE(row.out_of_place.expected->impossible);
  EXPECT_TRUE(row.in_place.expected->impossible);
  Row sent = row_of(1, 0, {}, CollectiveKind::kSendReceive);
  judge(sent, {});
  EXPECT_FALSE(sent.in_place.expected->impossible);
}

TEST(Path, NamesTheCardsAndTheFormula) {
  const Path path = path_of({kTenGigabits, kTenGigabits}, 1, true);
  EXPECT_THAT(path.remarks, Contains(HasSubstr("eth0 (10 Gb/s, TCP at MTU 1500, a virtual card's word) of a, b")));
  EXPECT_THAT(path.remarks, Contains(HasSubstr("2(h-1)/h of the size")));
}

TEST(Path, HasNoCeilingWhereAHostsCardsAreUnknown) {
  Path silent;
  add_hosts(silent, {{"a", {card(kTenGigabits)}}, {"b", {}}}, {0, 1}, CollectiveKind::kAllReduce);
  EXPECT_THAT(silent.stages, IsEmpty());
  EXPECT_THAT(silent.remarks, Contains(HasSubstr("no network card's counters show the data on b")));
  Path unrated;
  add_hosts(unrated, {{"a", {card(kTenGigabits)}}, {"b", {card(0)}}}, {0, 1}, CollectiveKind::kAllReduce);
  EXPECT_THAT(unrated.stages, IsEmpty());
  EXPECT_THAT(unrated.remarks, Contains(HasSubstr("no rate of eth0 of b")));
}

std::vector<RankGpu> two_gpus(int nvlinks) {
  return {{"GPU 0 of a", {"GPU-0", nvlinks, 26.562e9, 5, 16}}, {"GPU 1 of a", {"GPU-1", nvlinks, 26.562e9, 5, 16}}};
}

TEST(Path, BetweenGpusIsThatOfTheTransportThatNcclNames) {
  Path links;
  add_gpus(links, two_gpus(18), {"P2P/CUMEM"}, CollectiveKind::kAllReduce);
  ASSERT_THAT(links.stages, SizeIs(1));
  EXPECT_NEAR(links.stages[0].node_bandwidth[0], 478.1e9, 0.1e9);
  EXPECT_THAT(links.remarks, Contains(HasSubstr("18 NVLinks of 26.56 GB/s (NCCL: P2P/CUMEM), 478.1 GB/s each way")));
  Path memory;
  add_gpus(memory, two_gpus(18), {"SHM/direct"}, CollectiveKind::kAllReduce);
  ASSERT_THAT(memory.stages, SizeIs(1));
  EXPECT_THAT(memory.stages[0].node_bandwidth[0], DoubleNear(57.6e9, 0.1e9));
  EXPECT_THAT(memory.remarks, Contains(HasSubstr("PCIe 5.0 x16")));
}

TEST(Path, BetweenGpusSaysWhyItHasNoCeiling) {
  Path sockets, silent, unrated;
  add_gpus(sockets, two_gpus(18), {"NET/Socket"}, CollectiveKind::kAllReduce);
  EXPECT_THAT(sockets.remarks, Contains(HasSubstr("by NET/Socket, within the host")));
  add_gpus(silent, two_gpus(18), {}, CollectiveKind::kAllReduce);
  EXPECT_THAT(silent.remarks, Contains(HasSubstr("NCCL does not say")));
  add_gpus(unrated, {{"GPU 0 of a", {}}, {"GPU 1 of a", {}}}, {"P2P/CUMEM"}, CollectiveKind::kAllReduce);
  EXPECT_THAT(unrated.remarks, Contains(HasSubstr("no rate of the PCIe links of GPU 0 of a")));
  for (const Path& path : {sockets, silent, unrated}) EXPECT_THAT(path.stages, IsEmpty());
}

TEST(Path, OfHostsAndGpusTravelsAsText) {
  const HostPorts ports{"a", {card(kTenGigabits, true), card(0)}};
  EXPECT_EQ(host_ports_from(to_text(ports)), ports);
  const auto gpus = rank_gpus_from(to_text(two_gpus(18)));
  ASSERT_THAT(gpus, SizeIs(2));
  EXPECT_EQ(gpus[1].name, "GPU 1 of a");
  EXPECT_EQ(gpus[1].links, two_gpus(18)[1].links);
}

TEST(Expected, StandsUnderTheRowWhoseColumnsStay) {
  Row row = row_of(2, 0.9, {"RING", "SIMPLE", 2, 910e-6});
  std::ostringstream plain, with;
  Row without = row;
  without.out_of_place.expected.reset();
  without.in_place.expected.reset();
  print_row(plain, {}, without);
  judge(row, path_of({kTenGigabits, kTenGigabits}, 1));
  print_row(with, {}, row);
  EXPECT_EQ(with.str(), plain.str() +
                            "#   ceiling 1.25 GB/s, reached 72.0 % out-of-place, 72.0 % in-place; RING SIMPLE on 2 "
                            "channels, NCCL expects 910.00 us\n");
}

TEST(Expected, ShowsTheOtherChoiceInPlaceAndWhatIsImpossible) {
  Row row = row_of(2, 1.5, {"RING", "SIMPLE", 1, 0});
  row.in_place.expected->choice.algorithm = "TREE";
  judge(row, path_of({kTenGigabits, kTenGigabits}, 1));
  std::ostringstream out;
  print_expected(out, row);
  EXPECT_THAT(out.str(), HasSubstr("; RING SIMPLE on 1 channel; in-place TREE SIMPLE on 1 channel\n"));
  EXPECT_THAT(out.str(), HasSubstr("#   IMPOSSIBLE out-of-place: 20 % above"));
}

TEST(Expected, IsNullInTheJsonAndEmptyInTheCsvWhereItIsUnknown) {
  const auto json = expected_json({});
  for (const char* key :
       {"ceiling_bus_bw", "reached_pct", "algorithm", "protocol", "channels", "estimate_us", "remark"})
    EXPECT_TRUE(json.at(key).is_null()) << key;
  EXPECT_EQ(json.at("impossible"), false);
  EXPECT_EQ(expected_columns(Expectation{}), ",,,,,,0");
  EXPECT_EQ(expected_columns(std::nullopt), ",,,,,,");
  EXPECT_EQ(expected_columns(judged(2, 0.9, path_of({kTenGigabits, kTenGigabits}, 1), {"RING", "LL", 2, 1e-6})),
            "0.6250,144.00,RING,LL,2,1.000,1");
}

TEST(Expected, TravelsWithARowOfAnotherGroup) {
  const Row row = row_from(to_text(row_of(2, 1, {"TREE", "LL128", 4, 1e-5})));
  EXPECT_EQ(row.in_place.expected->choice.algorithm, "TREE");
  EXPECT_EQ(row.in_place.expected->choice.channels, 4);
  EXPECT_EQ(row.in_place.expected->choice.estimated_seconds, 1e-5);
}

}  // namespace
}  // namespace ringrun::worker
