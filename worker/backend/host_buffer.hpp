#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace ringrun::worker {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using HostBuffer = std::unique_ptr<std::byte[], FreeMemory>;

/// `bytes` from the begin of a page, all 0. Throws std::bad_alloc.
HostBuffer allocate_host_buffer(std::size_t bytes);

/// Throws Unsupported where this host has not enough memory free for two buffers of `max_bytes` for each of its
/// `local_size` ranks.
void require_host_memory(std::size_t max_bytes, int local_size);

}  // namespace ringrun::worker
