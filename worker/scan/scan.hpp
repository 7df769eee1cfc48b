#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "worker/scan/outlier.hpp"
#include "worker/scan/schedule.hpp"
#include "worker/sweep/collective_kind.hpp"

namespace ringrun::worker {

enum class ScanKind { kPairsOfHosts, kPairsOfRanks, kLeaveOneOut };

/// "pairs", "pairs:hosts", "pairs:ranks", "leave-one-out"; nothing for another word.
std::optional<ScanKind> scan_from(std::string_view name);

/// What is scanned: hosts with all their ranks, or ranks.
struct ScanNodes {
  std::vector<std::string> names;  ///< "a", or "a/3" for rank 3 there
  std::vector<int> host_of_node;
  std::vector<int> node_of_process;
};

/// `leaders` has for each process the one that speaks for its host, `hosts` its name.
ScanNodes scan_nodes(ScanKind kind, const std::vector<int>& leaders, const std::vector<std::string>& hosts);

/// Groups that measure side by side: for each process the number of its group, or kRests.
using Groups = std::vector<int>;
inline constexpr int kRests = -1;

/// Measures every group of a round at the same time: by its number, its bandwidth in GB/s. All processes get the same.
using MeasureRound = std::function<std::map<int, double>(const Groups& groups)>;

/// How often a scan passes through its rounds. Repeats of a pair are so far apart in time that what else a machine does
/// for a while does not slow all of them.
inline constexpr int kPasses = 7;

struct ScanResult {
  ScanKind kind = ScanKind::kPairsOfHosts;
  std::vector<std::string> names;
  PairMatrix pairs{0};             ///< of a scan of pairs
  ScanValue with_all;              ///< of leave-one-out
  std::vector<ScanValue> without;  ///< of leave-one-out, by node
  int rounds = 0;                  ///< that the whole scan has, in all passes
  int rounds_done = 0;

  bool complete() const { return rounds_done == rounds; }
  /// Every value has the repeats that it takes.
  bool judged() const { return rounds_done >= rounds / kPasses * static_cast<int>(kFewestRepeats); }
};

/// How many rounds a pass of the scan has.
int rounds_of(ScanKind kind, const ScanNodes& nodes);

/// Why these nodes cannot be scanned so; "" where they can.
std::string refusal_of(ScanKind kind, const ScanNodes& nodes);

/// Runs all rounds; `on_round` is told what is known after each, on every process.
ScanResult run_scan(ScanKind kind, const ScanNodes& nodes, const MeasureRound& measure,
                    const std::function<void(const ScanResult&)>& on_round);

}  // namespace ringrun::worker
