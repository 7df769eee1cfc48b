#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace ringrun::worker {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using HostBuffer = std::unique_ptr<std::byte[], FreeMemory>;

/// Of a buffer for operations of `max_bytes` that begin `misalignment` elements late, of whatever type.
std::size_t host_buffer_bytes(std::size_t max_bytes, int misalignment);

/// `bytes` from the begin of a page, all 0. Throws std::bad_alloc.
HostBuffer allocate_host_buffer(std::size_t bytes);

}  // namespace ringrun::worker
