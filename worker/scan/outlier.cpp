#include "worker/scan/outlier.hpp"

#include <algorithm>
#include <cmath>

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
  double error = 0;     ///< the median of the rest's own errors, as a share
};

/// At least one value.
Rest rest_of(const std::vector<ScanValue>& values) {
  std::vector<double> bandwidths, errors, deviations;
  for (const ScanValue& value : values) {
    bandwidths.push_back(value.bandwidth);
    errors.push_back(value.error);
  }
  Rest rest{median_of(bandwidths), 0, median_of(errors)};
  for (double bandwidth : bandwidths) deviations.push_back(std::abs(bandwidth - rest.median));
  constexpr double kOfNormalDistribution = 1.4826;
  rest.distance = std::max(kClearly * rest.median, kDeviations * kOfNormalDistribution * median_of(deviations));
  return rest;
}

double distance_to(const Rest& rest, const ScanValue& value) {
  return std::max(rest.distance, rest.error * rest.median + value.error * value.bandwidth);
}

bool is_slow(const ScanValue& value, const Rest& rest) {
  return value.bandwidth < rest.median - distance_to(rest, value);
}

bool contains(const std::vector<int>& nodes, int node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// The values of pairs that `takes` takes.
template <typename Takes>
std::vector<ScanValue> values_of(const PairMatrix& matrix, Takes takes) {
  std::vector<ScanValue> values;
  for (int a = 0; a < matrix.nodes(); ++a) {
    for (int b = a + 1; b < matrix.nodes(); ++b) {
      if (matrix.at(a, b) && takes(a, b)) values.push_back(*matrix.at(a, b));
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
  for (const ScanValue& value : own) bandwidths.push_back(value.bandwidth);
  return Outlier{node, -1, median_of(bandwidths), rest.median, rest.median - rest.distance};
}

}  // namespace

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
  const auto counts = [&](int a, int b) { return matrix.at(a, b) && !contains(left_out, a) && !contains(left_out, b); };
  const std::vector<ScanValue> all = values_of(matrix, counts);
  std::vector<Outlier> found;
  if (all.empty()) return found;
  const Rest rest = rest_of(all);
  for (int a = 0; a < matrix.nodes(); ++a) {
    for (int b = a + 1; b < matrix.nodes(); ++b) {
      if (!counts(a, b) || !is_slow(*matrix.at(a, b), rest)) continue;
      found.push_back({a, b, matrix.at(a, b)->bandwidth, rest.median, rest.median - rest.distance});
    }
  }
  std::sort(found.begin(), found.end(), [](const Outlier& a, const Outlier& b) { return a.bandwidth < b.bandwidth; });
  return found;
}

std::vector<Outlier> braking_nodes(const ScanValue& with_all, const std::vector<ScanValue>& without) {
  std::vector<Outlier> found;
  for (std::size_t node = 0; node < without.size(); ++node) {
    std::vector<ScanValue> others{with_all};
    for (std::size_t other = 0; other < without.size(); ++other) {
      if (other != node) others.push_back(without[other]);
    }
    const Rest rest = rest_of(others);
    const ScanValue& value = without[node];
    const double limit = std::max(rest.median + distance_to(rest, value), with_all.bandwidth * (1 + kClearly));
    if (value.bandwidth > limit) found.push_back({static_cast<int>(node), -1, value.bandwidth, rest.median, limit});
  }
  std::sort(found.begin(), found.end(), [](const Outlier& a, const Outlier& b) { return a.bandwidth > b.bandwidth; });
  return found;
}

}  // namespace ringrun::worker
