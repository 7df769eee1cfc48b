#pragma once

#include <algorithm>
#include <cstddef>

namespace ringrun::worker {

/// The parts of a buffer that successive iterations work on, in turn, so that small messages do not stay in a cache.
class BufferSlices {
 public:
  /// `bytes` in each part of a buffer of `buffer_bytes`.
  BufferSlices(std::size_t buffer_bytes, std::size_t bytes)
      : bytes_(bytes),
        slices_(bytes == 0 || buffer_bytes < bytes
                    ? 1
                    : static_cast<unsigned>(std::min<std::size_t>(buffer_bytes / bytes, kMost))) {}

  /// Where the part of an iteration begins. Cheap: it is asked between operations that take less than a microsecond.
  std::size_t offset(int iteration) const { return static_cast<unsigned>(iteration) % slices_ * bytes_; }

  /// Parts that so many iterations use: the first ones, each from `offset` of its number on.
  int used_by(int iterations) const { return std::min(iterations, static_cast<int>(slices_)); }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 30;  ///< a number of iterations is an int

  std::size_t bytes_;
  unsigned slices_;
};

}  // namespace ringrun::worker
