#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ringrun::worker {

/// A bandwidth in GB/s and how far it may be wrong, as a share of it.
struct ScanValue {
  double bandwidth = 0;
  double error = 0;
};

/// One value for each pair of nodes; nothing where a pair was not measured.
class PairMatrix {
 public:
  explicit PairMatrix(int nodes)
      : nodes_(nodes), values_(static_cast<std::size_t>(nodes) * static_cast<std::size_t>(nodes)) {}

  int nodes() const { return nodes_; }
  void set(int a, int b, const ScanValue& value) { values_[place(a, b)] = values_[place(b, a)] = value; }
  const std::optional<ScanValue>& at(int a, int b) const { return values_[place(a, b)]; }

 private:
  std::size_t place(int a, int b) const {
    return static_cast<std::size_t>(a) * static_cast<std::size_t>(nodes_) + static_cast<std::size_t>(b);
  }

  int nodes_;
  std::vector<std::optional<ScanValue>> values_;
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

/// Nodes of whose pairs at least three in four are clearly slower than the pairs without it: further below their median
/// than kClearly of it, than kDeviations, and than both measurements may be wrong together. The slowest one first; each
/// is left out before the next is looked for.
std::vector<Outlier> slow_nodes(const PairMatrix& matrix);

/// Pairs of all but these nodes that are slower in the same way than all those pairs.
std::vector<Outlier> slow_pairs(const PairMatrix& matrix, const std::vector<Outlier>& without);

/// Nodes without which the operation over all others is clearly faster than without any other one, and than with all.
std::vector<Outlier> braking_nodes(const ScanValue& with_all, const std::vector<ScanValue>& without);

}  // namespace ringrun::worker
