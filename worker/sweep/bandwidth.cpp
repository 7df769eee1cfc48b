#include "worker/sweep/bandwidth.hpp"

namespace ringrun::worker {

Bandwidth all_reduce_bandwidth(std::size_t bytes, double seconds, int ranks) {
  if (seconds <= 0) return {};
  const double algorithm = static_cast<double>(bytes) / 1e9 / seconds;
  // Each rank must send and receive this share of the buffer at least, whatever the algorithm.
  const double share = 2.0 * (ranks - 1) / ranks;
  return {algorithm, algorithm * share};
}

}  // namespace ringrun::worker
