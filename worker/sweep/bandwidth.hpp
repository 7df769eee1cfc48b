#pragma once

#include "worker/sweep/operation.hpp"

namespace ringrun::worker {

/// GB/s (10^9 bytes), by the definitions of nccl-tests.
struct Bandwidth {
  double algorithm = 0;
  double bus = 0;  ///< comparable with what a link carries, whatever the number of ranks
};

/// `seconds` of one operation.
Bandwidth bandwidth_of(const Operation& operation, double seconds);

}  // namespace ringrun::worker
