#pragma once

#include <cstddef>

namespace ringrun::worker {

/// GB/s (10^9 bytes), by the definitions of nccl-tests.
struct Bandwidth {
  double algorithm = 0;
  double bus = 0;  ///< 0 for one rank, where it is not defined
};

/// `bytes` of each rank's buffer, `seconds` of one operation, `ranks` from 1.
Bandwidth all_reduce_bandwidth(std::size_t bytes, double seconds, int ranks);

}  // namespace ringrun::worker
