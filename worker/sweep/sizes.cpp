#include "worker/sweep/sizes.hpp"

#include <stdexcept>

namespace ringrun::worker {

std::vector<std::int64_t> sweep_sizes(std::int64_t smallest, std::int64_t largest, std::int64_t step, int factor) {
  if (smallest < 0 || (factor > 1 ? smallest == 0 && largest > 0 : step <= 0 && largest > smallest)) {
    throw std::invalid_argument("sweep_sizes: the sequence would never end");
  }
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = smallest; size <= largest;) {
    sizes.push_back(size);
    const bool last = factor > 1 ? size > largest / factor : size > largest - step || step <= 0;
    if (last || (factor > 1 && size == 0)) break;
    size = factor > 1 ? size * factor : size + step;
  }
  return sizes;
}

}  // namespace ringrun::worker
