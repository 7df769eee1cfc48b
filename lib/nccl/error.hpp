#pragma once

#include "lib/error.hpp"

namespace ringrun {

/// A failed call of the CUDA Runtime, and of NCCL. Apart from their libraries' headers, so that a program without them
/// can catch what its NCCL backend throws.
class CudaError : public SystemError {
 public:
  using SystemError::SystemError;
};

class NcclError : public SystemError {
 public:
  using SystemError::SystemError;

  /// A peer went away, or the network to it: the cause is elsewhere.
  bool is_remote() const noexcept { return code() == 6; }  // ncclRemoteError
};

}  // namespace ringrun
