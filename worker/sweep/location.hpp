#pragma once

#include <string>

#include "worker/sweep/collective.hpp"
#include "worker/sweep/team.hpp"

namespace ringrun::worker {

/// "rank 2: 1 wrong in the all-reduce of 128 bytes (float sum, in-place), first at element 5 of 32: expected 7, got 8"
/// in a line of its own; where there are several groups, with the group before it.
std::string location_of(const Operation& operation, const WrongElements& wrong, const Team& team);

}  // namespace ringrun::worker
