#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "worker/sweep/sweep.hpp"

namespace ringrun::worker {

/// What a soak has found so far.
struct SoakResult {
  std::uint64_t operations = 0;
  double bytes = 0;    ///< of each rank's larger buffer, all operations together
  double seconds = 0;  ///< that it lasted
  std::uint64_t wrong = 0;
  std::vector<std::string> locations;  ///< a line for each rank that has something wrong
};

/// Operations at random places and of random sizes, small ones as often as large ones, with the plan's types,
/// reductions and roots. Everybody who asks for as many gets the same.
class SoakOperations {
 public:
  SoakOperations(const SweepPlan& plan, int ranks);
  Operation next();

 private:
  /// Below `bound`; 0 where that is 0.
  std::size_t below(std::size_t bound);

  const SweepPlan& plan_;
  int ranks_;
  std::mt19937_64 random_;  ///< the same numbers everywhere, unlike the standard's distributions
};

/// Runs and checks operations for `seconds`, or until one of this group is wrong. `on_step` is told after each.
SoakResult run_soak(const SweepPlan& plan, double seconds, Collective& collective, Team& team, Watch& watch,
                    const std::function<void(const SoakResult&)>& on_step);

/// "# Soak: …", the locations before it.
std::string text_of(const SoakResult& result);

}  // namespace ringrun::worker
