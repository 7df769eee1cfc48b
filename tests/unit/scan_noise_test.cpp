// Whole scans on machines that are busy with something else: whoever is not slow is not accused, and who is, is found.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "worker/scan/scan.hpp"

namespace ringrun::worker {
namespace {

/// Draws the share of the usual bandwidth that one measurement has.
using Noise = std::function<double(std::mt19937&)>;

struct NamedNoise {
  std::string name;
  Noise draw;
};

double uniform(std::mt19937& random, double from, double to) {
  return std::uniform_real_distribution<double>(from, to)(random);
}

/// About half of all measurements lose up to two thirds.
double often_disturbed(std::mt19937& random) {
  return uniform(random, 0.95, 1.05) * (uniform(random, 0, 1) < 0.5 ? uniform(random, 0.3, 1) : 1);
}
/// A fifth loses half.
double sometimes_halved(std::mt19937& random) {
  return uniform(random, 0.95, 1.05) * (uniform(random, 0, 1) < 0.2 ? 0.5 : 1);
}
/// Times have tails so heavy that they have no mean.
double heavy_tailed(std::mt19937& random) {
  return 1 / (1 + 0.1 * std::abs(std::cauchy_distribution<double>(0, 1)(random)));
}
/// Half of all measurements are off by more than 60 %.
double wide(std::mt19937& random) { return std::lognormal_distribution<double>(0, 0.7)(random); }
double moderate(std::mt19937& random) { return std::lognormal_distribution<double>(0, 0.1)(random); }

/// `slow`: the host that halves whatever it takes part in; -1: none.
ScanResult scan(ScanKind kind, int hosts, int slow, const Noise& draw, unsigned seed) {
  std::vector<int> leaders;
  std::vector<std::string> names;
  for (int host = 0; host < hosts; ++host) {
    leaders.push_back(host);
    names.push_back(std::string(1, static_cast<char>('a' + host)));
  }
  std::mt19937 random(seed);
  const auto measure = [&](const Groups& groups) {
    std::map<int, double> values;
    for (int group : groups) {
      if (group != kRests) values.try_emplace(group, 0);
    }
    for (auto& [group, value] : values) {
      const bool halved = slow >= 0 && groups[static_cast<std::size_t>(slow)] == group;
      value = draw(random) * (halved ? 0.5 : 1);
    }
    return values;
  };
  return run_scan(kind, scan_nodes(kind, leaders, names), measure, [](const ScanResult&) {});
}

/// Everybody who is accused.
std::vector<Outlier> accused(const ScanResult& result) {
  if (result.kind == ScanKind::kLeaveOneOut) return braking_nodes(result.with_all, result.without);
  std::vector<Outlier> found = slow_nodes(result.pairs);
  for (const Outlier& pair : slow_pairs(result.pairs, found)) found.push_back(pair);
  return found;
}

class NoisyScan : public testing::TestWithParam<ScanKind> {};

TEST_P(NoisyScan, AccusesNobodyWhereNobodyIsSlow) {
  const int kScans = 1000;
  for (const auto& [name, draw] : {NamedNoise{"often disturbed", often_disturbed},
                                   {"sometimes halved", sometimes_halved},
                                   {"heavy-tailed", heavy_tailed},
                                   {"wide", wide}}) {
    for (int hosts : {3, 4, 8}) {
      int wrong = 0;
      for (unsigned seed = 0; seed < kScans; ++seed)
        wrong += accused(scan(GetParam(), hosts, -1, draw, seed)).empty() ? 0 : 1;
      EXPECT_LE(wrong, kScans / 100) << hosts << " hosts, noise " << name;
    }
  }
}

TEST_P(NoisyScan, NamesAHostThatHalvesWhateverItTakesPartIn) {
  const int kScans = 1000;
  for (const auto& [name, draw, least] :
       {std::tuple<std::string, Noise, int>{"moderate", moderate, 99}, {"heavy-tailed", heavy_tailed, 85}}) {
    for (int hosts : {3, 4, 8}) {
      int right = 0;
      for (unsigned seed = 0; seed < kScans; ++seed) {
        const auto found = accused(scan(GetParam(), hosts, 1, draw, seed));
        right += found.size() == 1 && found[0].node == 1 && found[0].other == -1 ? 1 : 0;
      }
      EXPECT_GE(right, kScans / 100 * least) << hosts << " hosts, noise " << name;
    }
  }
}

TEST_P(NoisyScan, AccusesNobodyWhereTheWholeMachineIsBusyForAThirdOfTheTime) {
  const int kScans = 300;
  for (int hosts : {3, 4}) {
    int wrong = 0;
    for (unsigned seed = 0; seed < kScans; ++seed) {
      int measured = 0;
      const int all = kPasses * (GetParam() == ScanKind::kLeaveOneOut ? hosts + 1 : hosts * (hosts - 1) / 2);
      const int from = static_cast<int>(seed) % all;
      const auto busy_for_a_third = [&](std::mt19937& random) {
        const int at = measured++;
        return moderate(random) * (at >= from && at < from + all / 3 ? 0.3 : 1);
      };
      wrong += accused(scan(GetParam(), hosts, -1, busy_for_a_third, seed)).empty() ? 0 : 1;
    }
    EXPECT_LE(wrong, kScans / 100) << hosts << " hosts";
  }
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, NoisyScan, testing::Values(ScanKind::kPairsOfHosts, ScanKind::kLeaveOneOut),
                         [](const auto& kind) {
                           return kind.param == ScanKind::kLeaveOneOut ? "LeaveOneOut" : "Pairs";
                         });

}  // namespace
}  // namespace ringrun::worker
