#pragma once

#include <string>
#include <vector>

#include "worker/sweep/collective.hpp"
#include "worker/sweep/team.hpp"

namespace ringrun::worker {

/// A line for each rank that has wrong elements: "rank 2 on a: 1 wrong in the all-reduce of 128 bytes (float sum,
/// in-place), first at element 5 of 32: expected 7, got 8"; where there are several groups, with that behind the host.
/// The rank is the job's.
std::string locations_of(const Operation& operation, const std::vector<WrongElements>& wrong, const Team& team);

/// All lines of these texts, without their ends.
std::vector<std::string> lines_of(const std::vector<std::string>& texts);

}  // namespace ringrun::worker
