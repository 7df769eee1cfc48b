#pragma once

#include <map>
#include <string>
#include <vector>

#include "worker/sweep/row.hpp"

namespace ringrun::worker {

/// What people quote of a sweep: the latency of its smallest size, its peak bandwidth, and from which size on half of
/// that is reached. Out of place.
class Highlights {
 public:
  /// `has_groups`: of several, whose names then stand in the lines.
  explicit Highlights(bool has_groups = false) : has_groups_(has_groups) {}
  void add(const Row& row);
  /// "# Summary: …", a line for each type, reduction, root and group.
  std::vector<std::string> lines() const;

 private:
  struct Point {
    std::size_t bytes = 0;
    double seconds = 0;
    double bandwidth = 0;  ///< GB/s: bus, or on one rank, where that is not defined, algorithm
    bool bus = true;
  };
  bool has_groups_;
  std::vector<std::string> names_;  ///< in the order of the table
  std::map<std::string, std::vector<Point>> points_;
};

}  // namespace ringrun::worker
