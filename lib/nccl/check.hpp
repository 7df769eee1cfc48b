#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <source_location>
#include <string>

#include "lib/nccl/error.hpp"

namespace ringrun {

/// Throws CudaError with CUDA's own text where `code` is an error. `call` is the call's name.
inline void check_cuda(cudaError_t code, const char* call,
                       std::source_location where = std::source_location::current()) {
  if (code != cudaSuccess) throw CudaError(call, cudaGetErrorString(code), static_cast<int>(code), where);
}

/// The same for NCCL, whose last error says more than the code's text.
inline void check_nccl(ncclResult_t code, const char* call,
                       std::source_location where = std::source_location::current()) {
  if (code == ncclSuccess) return;
  std::string text = ncclGetErrorString(code);
  const char* last = ncclGetLastError(nullptr);
  if (last != nullptr && *last != '\0') text += ": " + std::string(last);
  throw NcclError(call, text, static_cast<int>(code), where);
}

}  // namespace ringrun
