#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/explain/finding.hpp"
#include "lib/explain/situation.hpp"

namespace ringrun {

/// One host cannot connect to another. The links are the ways that were tried, the one that matters first.
struct BrokenDirection {
  std::size_t from = 0;  ///< places in the situation's list of hosts
  std::size_t to = 0;
  std::vector<const Link*> links;
};

/// What is broken between hosts by one and the same cause.
struct BrokenPairs {
  /// The cause, as the catalogue's id: W1, W2, W4, W12, C1, C1b, NAT, F1, F2, F3 or NET.
  std::string id;
  Severity severity = Severity::error;
  /// Where the cause lies.
  std::vector<std::size_t> hosts;
  std::vector<BrokenDirection> directions;
};

/// Looks at every pair of hosts once and gives each that this transport needs, and that is broken, one cause: so two
/// rules never report the same pair. NCCL connects both ways. Open MPI's TCP can do with one direction where the other
/// is refused at once, but hangs where it is dropped; its daemons must reach the launcher in any case.
std::vector<BrokenPairs> find_broken_pairs(const Situation& situation);

/// Those of one cause.
std::vector<BrokenPairs> broken_by(const Situation& situation, const std::string& id);

/// "b cannot connect to a: 192.168.1.5 port 41234, 40111: nothing answered for 2 s", one direction a line, at most
/// four of them.
std::string describe(const Situation& situation, const BrokenPairs& broken);

/// Names of the hosts where the cause lies.
std::vector<std::string> names_of(const Situation& situation, const BrokenPairs& broken);

}  // namespace ringrun
