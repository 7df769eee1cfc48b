#pragma once

#include <cstddef>

namespace ringrun::worker {

/// Where in a buffer of `buffer_bytes` iteration `iteration` works on `bytes` of it: the buffer's parts in turn.
inline std::size_t slice_offset(std::size_t buffer_bytes, std::size_t bytes, int iteration) {
  const std::size_t slices = bytes == 0 ? 1 : buffer_bytes / bytes;
  return slices <= 1 ? 0 : static_cast<std::size_t>(iteration) % slices * bytes;
}

}  // namespace ringrun::worker
