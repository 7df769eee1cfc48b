#pragma once

#include <unistd.h>

#include "lib/unique_handle.hpp"

namespace ringrun {

struct DescriptorTraits {
  using Handle = int;
  static Handle null() noexcept { return -1; }
  static void release(Handle descriptor) noexcept { close(descriptor); }
};

/// Owner of an open file, pipe or socket.
using Descriptor = UniqueHandle<DescriptorTraits>;

}  // namespace ringrun
