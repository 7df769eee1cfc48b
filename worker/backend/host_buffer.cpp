#include "worker/backend/host_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace ringrun::worker {
std::size_t host_buffer_bytes(std::size_t max_bytes, int misalignment) {
  constexpr std::size_t kLargestElement = 8;
  return max_bytes + static_cast<std::size_t>(misalignment) * kLargestElement;
}

HostBuffer allocate_host_buffer(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t whole_pages = std::max(kPage, (bytes + kPage - 1) / kPage * kPage);
  HostBuffer buffer(static_cast<std::byte*>(std::aligned_alloc(kPage, whole_pages)));
  if (!buffer) throw std::bad_alloc();
  // Touched now, by the rank that uses it, so that no page fault falls into a measurement.
  std::memset(buffer.get(), 0, whole_pages);
  return buffer;
}

}  // namespace ringrun::worker
