#pragma once

#include <map>
#include <string>
#include <vector>

#include "worker/sweep/row.hpp"

namespace ringrun::worker {

/// Where the data passes from one node to another: hosts with their network cards, or GPUs with their links.
struct Stage {
  std::vector<int> node_of_rank;       ///< of all ranks of the job; nodes are 0, 1, …
  std::vector<double> node_bandwidth;  ///< bytes a second each way, that a node's ports can carry of the data itself
  std::string ports;                   ///< in sentences: "network cards", "NVLinks"
  bool nominal = false;                ///< virtual ports, whose rate is a word and no wire's
};

/// The way of a job's data, as far as it is known.
struct Path {
  std::vector<Stage> stages;                    ///< none: no ceiling is claimed
  std::map<int, std::vector<int>> group_ranks;  ///< the ranks of all that measure side by side, by their group
  std::vector<std::string> remarks;             ///< lines for the head of the table: the path, the formula, or why not
};

/// The least seconds that the operation of a row can take on this path. 0: unknown.
double least_seconds(const Path& path, const Operation& operation, const LibraryChoice& choice);

/// Holds a row against its path: fills in `expected` of both its measurements, where they have one.
void judge(Row& row, const Path& path);

}  // namespace ringrun::worker
