#include "worker/backend/host_buffer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <string>

#include "lib/text/byte_size.hpp"
#include "worker/exit_code.hpp"

namespace ringrun::worker {
namespace {

/// Bytes that this host can still give, or the largest number where it does not say.
std::int64_t available_memory() {
  std::ifstream meminfo("/proc/meminfo");
  for (std::string key; meminfo >> key;) {
    std::int64_t kibibytes = 0;
    if (key == "MemAvailable:" && meminfo >> kibibytes) return kibibytes * 1024;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace

HostBuffer allocate_host_buffer(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t whole_pages = std::max(kPage, (bytes + kPage - 1) / kPage * kPage);
  HostBuffer buffer(static_cast<std::byte*>(std::aligned_alloc(kPage, whole_pages)));
  if (!buffer) throw std::bad_alloc();
  // Touched now, by the rank that uses it, so that no page fault falls into a measurement.
  std::memset(buffer.get(), 0, whole_pages);
  return buffer;
}

void require_host_memory(std::size_t max_bytes, int local_size) {
  const double wanted = 2.0 * static_cast<double>(max_bytes) * local_size;
  const std::int64_t available = available_memory();
  if (wanted <= 0.9 * static_cast<double>(available)) return;
  throw Unsupported("two buffers of " + format_byte_size(static_cast<std::int64_t>(max_bytes)) + " for each of " +
                        std::to_string(local_size) + " ranks do not fit into this host's free memory (" +
                        std::to_string(available >> 20) + "M)",
                    "give a smaller largest size: -e");
}

}  // namespace ringrun::worker
