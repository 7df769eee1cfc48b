#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ringrun::worker {

/// Bandwidths in GB/s of the same thing, measured again and again.
class ScanValue {
 public:
  ScanValue() = default;
  explicit ScanValue(std::vector<double> repeats);

  void add(double bandwidth);
  std::size_t repeats() const { return sorted_.size(); }
  double median() const;
  /// Of at least one repeat, as what is below.
  double best() const { return sorted_.back(); }
  /// All but one of the repeats reach it.
  double low() const { return sorted_[sorted_.size() > 1 ? 1 : 0]; }
  /// Half of what is between the worst and the best repeat, as a share of the median.
  double spread() const;

 private:
  std::vector<double> sorted_;
};

/// One value for each pair of nodes, without repeats where a pair was not measured.
class PairMatrix {
 public:
  explicit PairMatrix(int nodes)
      : nodes_(nodes), values_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes)) {}

  int nodes() const { return nodes_; }
  void add(int a, int b, double bandwidth) { values_[place(a, b)].add(bandwidth); }
  const ScanValue& at(int a, int b) const { return values_[place(a, b)]; }

 private:
  std::size_t place(int a, int b) const {
    return static_cast<std::size_t>(std::min(a, b)) * static_cast<std::size_t>(nodes_) +
           static_cast<std::size_t>(std::max(a, b));
  }

  int nodes_;
  std::vector<ScanValue> values_;
};

/// What stands out of a scan, and how it compares.
struct Outlier {
  int node = 0;
  int other = -1;        ///< of a pair; -1: the node itself
  double bandwidth = 0;  ///< of the pair, of the node's best pair, or without the node
  double usual = 0;      ///< the median of the rest
  double limit = 0;      ///< beyond which it stands out
};

/// Least distance from the median of the rest that counts, as a share of it.
inline constexpr double kClearly = 0.15;
/// The same in deviations of the rest (1.4826 times their median absolute deviation).
inline constexpr double kDeviations = 4;
/// What was measured fewer times is not judged.
inline constexpr std::size_t kFewestRepeats = 5;

// Distances between medians say little where there are few nodes and the machines are busy with something else, which
// slows now this measurement and now that one. So repeats are compared too: what is slow is so each time. Drawn from
// the same distribution, however wide, seven repeats of three to twelve nodes accuse somebody in less than 1 % of
// scans.

/// Nodes of whose pairs at least three in four are clearly slower than the pairs without it: their median is further
/// below that of those pairs than kClearly of it, and than kDeviations, and their best repeat is below what these pairs
/// reach in all repeats but one (the median of what each does). The slowest one first; each is left out before the next
/// is looked for.
std::vector<Outlier> slow_nodes(const PairMatrix& matrix);

/// Pairs of all but these nodes that are slower in the same way than all those pairs.
std::vector<Outlier> slow_pairs(const PairMatrix& matrix, const std::vector<Outlier>& without);

/// Nodes without which the operation over all others is clearly faster than without any other one, and than with all:
/// in the median, and in all repeats but one than the best of those (the median of what each reaches), and than the
/// best with all.
std::vector<Outlier> braking_nodes(const ScanValue& with_all, const std::vector<ScanValue>& without);

}  // namespace ringrun::worker
