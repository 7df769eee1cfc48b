#include "worker/scan/outlier.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace ringrun::worker {
namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle : (*std::max_element(values.begin(), middle) + *middle) / 2;
}

/// What all but one have in common.
struct Rest {
  double median = 0;
  double distance = 0;  ///< from the median, that only something else has
  double low = 0;       ///< what they reach each time, but for once
  double best = 0;      ///< what they have reached once
};

/// At least one value.
Rest rest_of(const std::vector<ScanValue>& values) {
  std::vector<double> bandwidths, lows, bests, deviations;
  for (const ScanValue& value : values) {
    bandwidths.push_back(value.median());
    lows.push_back(value.low());
    bests.push_back(value.best());
  }
  Rest rest{median_of(bandwidths), 0, median_of(lows), median_of(bests)};
  for (double bandwidth : bandwidths) deviations.push_back(std::abs(bandwidth - rest.median));
  constexpr double kOfNormalDistribution = 1.4826;
  rest.distance = std::max(kClearly * rest.median, kDeviations * kOfNormalDistribution * median_of(deviations));
  return rest;
}

double limit_below(const Rest& rest) { return std::min(rest.median - rest.distance, rest.low); }

bool is_slow(const ScanValue& value, const Rest& rest) {
  return value.median() < rest.median - rest.distance && value.best() < rest.low;
}

bool is_judged(const ScanValue& value) { return value.repeats() >= kFewestRepeats; }

bool contains(const std::vector<int>& nodes, int node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// The values of pairs that `takes` takes.
template <typename Takes>
std::vector<ScanValue> values_of(const PairMatrix& matrix, Takes takes) {
  std::vector<ScanValue> values;
  for (int a = 0; a < matrix.nodes(); ++a) {
    for (int b = a + 1; b < matrix.nodes(); ++b) {
      if (is_judged(matrix.at(a, b)) && takes(a, b)) values.push_back(matrix.at(a, b));
    }
  }
  return values;
}

std::optional<Outlier> judge_node(const PairMatrix& matrix, int node, const std::vector<int>& left_out) {
  const auto counts = [&](int a, int b) { return !contains(left_out, a) && !contains(left_out, b); };
  const auto own = values_of(matrix, [&](int a, int b) { return counts(a, b) && (a == node || b == node); });
  const auto others = values_of(matrix, [&](int a, int b) { return counts(a, b) && a != node && b != node; });
  // Of a single pair nobody can say which end is slow.
  if (own.size() < 2 || others.empty()) return std::nullopt;
  const Rest rest = rest_of(others);
  const auto slow = std::count_if(own.begin(), own.end(), [&](const ScanValue& value) { return is_slow(value, rest); });
  if (4 * slow < 3 * static_cast<std::ptrdiff_t>(own.size())) return std::nullopt;
  std::vector<double> bandwidths;
  for (const ScanValue& value : own) bandwidths.push_back(value.median());
  return Outlier{node, -1, median_of(bandwidths), rest.median, limit_below(rest)};
}

}  // namespace

ScanValue::ScanValue(std::vector<double> repeats) : sorted_(std::move(repeats)) {
  std::sort(sorted_.begin(), sorted_.end());
}

void ScanValue::add(double bandwidth) {
  sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), bandwidth), bandwidth);
}

double ScanValue::median() const { return sorted_.empty() ? 0 : median_of(sorted_); }

double ScanValue::spread() const { return median() > 0 ? (best() - sorted_.front()) / 2 / median() : 0; }

std::vector<Outlier> slow_nodes(const PairMatrix& matrix) {
  std::vector<Outlier> found;
  std::vector<int> left_out;
  for (;;) {
    std::optional<Outlier> slowest;
    for (int node = 0; node < matrix.nodes(); ++node) {
      if (contains(left_out, node)) continue;
      const auto outlier = judge_node(matrix, node, left_out);
      if (outlier && (!slowest || outlier->bandwidth < slowest->bandwidth)) slowest = outlier;
    }
    if (!slowest) return found;
    found.push_back(*slowest);
    left_out.push_back(slowest->node);
  }
}

std::vector<Outlier> slow_pairs(const PairMatrix& matrix, const std::vector<Outlier>& without) {
  std::vector<int> left_out;
  for (const Outlier& outlier : without) left_out.push_back(outlier.node);
  const auto counts = [&](int a, int b) {
    return is_judged(matrix.at(a, b)) && !contains(left_out, a) && !contains(left_out, b);
  };
  const std::vector<ScanValue> all = values_of(matrix, counts);
  std::vector<Outlier> found;
  if (all.empty()) return found;
  const Rest rest = rest_of(all);
  for (int a = 0; a < matrix.nodes(); ++a) {
    for (int b = a + 1; b < matrix.nodes(); ++b) {
      if (!counts(a, b) || !is_slow(matrix.at(a, b), rest)) continue;
      found.push_back({a, b, matrix.at(a, b).median(), rest.median, limit_below(rest)});
    }
  }
  std::sort(found.begin(), found.end(), [](const Outlier& a, const Outlier& b) { return a.bandwidth < b.bandwidth; });
  return found;
}

std::vector<Outlier> braking_nodes(const ScanValue& with_all, const std::vector<ScanValue>& without) {
  std::vector<Outlier> found;
  if (!is_judged(with_all) || !std::all_of(without.begin(), without.end(), is_judged)) return found;
  for (std::size_t node = 0; node < without.size(); ++node) {
    std::vector<ScanValue> others{with_all};
    for (std::size_t other = 0; other < without.size(); ++other) {
      if (other != node) others.push_back(without[other]);
    }
    const Rest rest = rest_of(others);
    const ScanValue& value = without[node];
    const double median = std::max(rest.median + rest.distance, with_all.median() * (1 + kClearly));
    const double low = std::max(rest.best, with_all.best());
    if (value.median() <= median || value.low() <= low) continue;
    found.push_back({static_cast<int>(node), -1, value.median(), rest.median, std::max(median, low)});
  }
  std::sort(found.begin(), found.end(), [](const Outlier& a, const Outlier& b) { return a.bandwidth > b.bandwidth; });
  return found;
}

}  // namespace ringrun::worker
