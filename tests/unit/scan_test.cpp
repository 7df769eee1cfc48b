// A scan as it asks for its rounds, and what it tells.
#include "worker/scan/scan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "worker/report/scan_report.hpp"

namespace ringrun::worker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

/// Two processes each on a, b and c, in turn.
const std::vector<int> kLeaders{0, 1, 2, 0, 1, 2};
const std::vector<std::string> kHosts{"a", "b", "c", "a", "b", "c"};

/// A job in which whatever host c takes part in is slow.
class Job {
 public:
  explicit Job(const ScanNodes& nodes) : nodes_(nodes) {}

  std::map<int, double> measure(const Groups& groups) {
    asked.push_back(groups);
    std::map<int, double> values;
    for (std::size_t process = 0; process < groups.size(); ++process) {
      if (groups[process] == kRests) continue;
      const bool slow = kHosts[process] == "c";
      const auto [value, is_new] = values.try_emplace(groups[process], 1.1);
      if (slow) value->second = 0.3;
    }
    return values;
  }

  ScanResult scan(ScanKind kind) {
    return run_scan(
        kind, nodes_, [this](const Groups& groups) { return measure(groups); },
        [this](const ScanResult& result) { shown.push_back(result.rounds_done); });
  }

  std::vector<Groups> asked;
  std::vector<int> shown;

 private:
  ScanNodes nodes_;
};

TEST(Scan, OfPairsOfHostsTakesAllTheirRanksAndLetsTheThirdRest) {
  const ScanNodes nodes = scan_nodes(ScanKind::kPairsOfHosts, kLeaders, kHosts);
  EXPECT_THAT(nodes.names, ElementsAre("a", "b", "c"));
  Job job(nodes);
  const ScanResult result = job.scan(ScanKind::kPairsOfHosts);
  EXPECT_TRUE(result.complete());
  EXPECT_THAT(job.shown, SizeIs(3 * kPasses)) << "three rounds a pass";
  EXPECT_EQ(result.pairs.at(0, 1).repeats(), std::size_t{kPasses});
  EXPECT_THAT(job.asked, Contains(ElementsAre(0, 0, kRests, 0, 0, kRests)));
  EXPECT_EQ(result.pairs.at(0, 1).median(), 1.1);
  EXPECT_EQ(result.pairs.at(2, 1).median(), 0.3);
}

TEST(Scan, OfPairsOfRanksNamesThemByHostAndNumber) {
  const ScanNodes nodes = scan_nodes(ScanKind::kPairsOfRanks, kLeaders, kHosts);
  EXPECT_THAT(nodes.names, ElementsAre("a/0", "b/1", "c/2", "a/3", "b/4", "c/5"));
  Job job(nodes);
  const ScanResult result = job.scan(ScanKind::kPairsOfRanks);
  for (int one = 0; one < 6; ++one)
    for (int other = one + 1; other < 6; ++other)
      EXPECT_EQ(result.pairs.at(one, other).repeats(), std::size_t{kPasses}) << one << " " << other;
  EXPECT_THAT(text_of(result), HasSubstr("# Slow rank: c/2: "));
  EXPECT_THAT(text_of(result), HasSubstr("# Slow rank: c/5: "));
}

TEST(Scan, LeavesOutEachHostInTurn) {
  Job job(scan_nodes(ScanKind::kLeaveOneOut, kLeaders, kHosts));
  const ScanResult result = job.scan(ScanKind::kLeaveOneOut);
  EXPECT_EQ(result.rounds, 4 * kPasses);
  EXPECT_THAT(job.asked.at(0), ElementsAre(0, 0, 0, 0, 0, 0));
  EXPECT_THAT(job.asked.at(3), ElementsAre(0, 0, kRests, 0, 0, kRests));
  EXPECT_THAT(text_of(result), HasSubstr("all            0.3\n"));
  EXPECT_THAT(text_of(result), HasSubstr("without c      1.1\n"));
  EXPECT_THAT(text_of(result), HasSubstr("# Slow host: c: without it all others reach 1.1 GB/s, with all 0.3\n"));
}

TEST(Scan, TellsAMatrixAndWhoIsSlow) {
  Job job(scan_nodes(ScanKind::kPairsOfHosts, kLeaders, kHosts));
  const std::string text = text_of(job.scan(ScanKind::kPairsOfHosts));
  EXPECT_THAT(text, HasSubstr("               a        b        c\n"
                              "      a        -      1.1      0.3\n"
                              "      b      1.1        -      0.3\n"
                              "      c      0.3      0.3        -\n"));
  EXPECT_THAT(text, HasSubstr("# Rule: slower than the median by more than 15 % of it"));
  EXPECT_THAT(text, HasSubstr("# Slow host: c: its pairs have 0.3 GB/s in the median, those without it 1.1\n"));
  EXPECT_THAT(text, HasSubstr("# Slow pairs: none\n"));
  EXPECT_THAT(text, HasSubstr("# Spread: repeats of the same are 0 % around their median"));
}

TEST(Scan, OfTwoHostsComparesNothing) {
  ScanResult result;
  result.names = {"a", "b"};
  result.pairs = PairMatrix(2);
  result.pairs.add(0, 1, 1.1);
  EXPECT_THAT(text_of(result), HasSubstr("# One pair has nothing to be compared with\n"));
  EXPECT_THAT(text_of(result), Not(HasSubstr("Slow")));
}

TEST(Scan, StandsInTheJsonWithItsOutliersAndNullsWhereNothingWasMeasured) {
  Job job(scan_nodes(ScanKind::kPairsOfHosts, kLeaders, kHosts));
  const auto json = scan_json(job.scan(ScanKind::kPairsOfHosts));
  EXPECT_EQ(json.at("complete"), true);
  EXPECT_EQ(json.at("judged"), true);
  EXPECT_EQ(json.at("matrix").at(0).at(1).at("repeats"), kPasses);
  EXPECT_EQ(json.at("matrix").at(0).at(1).at("bus_bw"), 1.1);
  EXPECT_TRUE(json.at("matrix").at(2).at(2).is_null());
  EXPECT_EQ(json.at("slow_nodes").at(0).at("nodes").at(0), "c");
  const auto without =
      scan_json(Job(scan_nodes(ScanKind::kLeaveOneOut, kLeaders, kHosts)).scan(ScanKind::kLeaveOneOut));
  EXPECT_EQ(without.at("without").at(2).at("bus_bw"), 1.1);
  EXPECT_EQ(without.at("slow_nodes").at(0).at("nodes").at(0), "c");
}

TEST(Scan, KnowsItsWords) {
  EXPECT_EQ(scan_from("pairs"), ScanKind::kPairsOfHosts);
  EXPECT_EQ(scan_from("pairs:hosts"), ScanKind::kPairsOfHosts);
  EXPECT_EQ(scan_from("pairs:ranks"), ScanKind::kPairsOfRanks);
  EXPECT_EQ(scan_from("leave-one-out"), ScanKind::kLeaveOneOut);
  EXPECT_EQ(scan_from("pair"), std::nullopt);
}

TEST(Scan, RefusesTooFewNodes) {
  const ScanNodes one = scan_nodes(ScanKind::kPairsOfHosts, {0, 0}, {"a", "a"});
  EXPECT_EQ(refusal_of(ScanKind::kPairsOfHosts, one), "--scan pairs needs 2 hosts, and this job has 1");
  const ScanNodes two = scan_nodes(ScanKind::kLeaveOneOut, {0, 1}, {"a", "b"});
  EXPECT_EQ(refusal_of(ScanKind::kLeaveOneOut, two), "--scan leave-one-out needs 3 hosts, and this job has 2");
  EXPECT_EQ(refusal_of(ScanKind::kPairsOfHosts, two), "");
}

TEST(ScanReport, EndedEarlyTellsTheRoundsThatWereDone) {
  Options options;
  options.scan = ScanKind::kPairsOfHosts;
  options.plan.sizes = {1024};
  options.plan.types = {DataType::kFloat};
  const ScanNodes nodes = scan_nodes(ScanKind::kPairsOfHosts, kLeaders, kHosts);
  std::ostringstream out;
  ScanReport report(out, options, {}, nodes);
  ScanResult result;
  result.names = nodes.names;
  result.pairs = PairMatrix(3);
  result.pairs.add(0, 1, 1.1);
  result.rounds = 3 * kPasses;
  result.rounds_done = 1;
  report.show(result);
  report.finish_partial("ended by SIGINT");
  report.finish();
  EXPECT_THAT(out.str(), HasSubstr("# Scan: all pairs of 3 hosts, side by side where they share no host: 3 rounds"));
  EXPECT_THAT(out.str(), HasSubstr("# PARTIAL: ended by SIGINT after 1 round\n"));
  EXPECT_THAT(out.str(), testing::EndsWith("# Nothing is called slow, or not slow, before all was measured 5 times\n"));
  EXPECT_EQ(out.str().find("# Nothing"), out.str().rfind("# Nothing")) << "told once";
}

}  // namespace
}  // namespace ringrun::worker
