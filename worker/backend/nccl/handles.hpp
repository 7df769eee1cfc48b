#pragma once

#include <cuda_runtime_api.h>
#include <nccl.h>

#include "lib/unique_handle.hpp"

namespace ringrun::worker {

struct StreamTraits {
  using Handle = cudaStream_t;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle stream) noexcept { cudaStreamDestroy(stream); }
};
using Stream = UniqueHandle<StreamTraits>;

struct EventTraits {
  using Handle = cudaEvent_t;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle event) noexcept { cudaEventDestroy(event); }
};
using Event = UniqueHandle<EventTraits>;

struct GraphTraits {
  using Handle = cudaGraph_t;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle graph) noexcept { cudaGraphDestroy(graph); }
};
using Graph = UniqueHandle<GraphTraits>;

struct ExecutableGraphTraits {
  using Handle = cudaGraphExec_t;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle graph) noexcept { cudaGraphExecDestroy(graph); }
};
using ExecutableGraph = UniqueHandle<ExecutableGraphTraits>;

struct DeviceMemoryTraits {
  using Handle = void*;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle memory) noexcept { cudaFree(memory); }
};
using DeviceMemory = UniqueHandle<DeviceMemoryTraits>;

/// Memory that NCCL can register, from ncclMemAlloc.
struct NcclMemoryTraits {
  using Handle = void*;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle memory) noexcept { ncclMemFree(memory); }
};
using NcclMemory = UniqueHandle<NcclMemoryTraits>;

/// Released on the way out of an error: an abort, which waits for no peer.
struct CommunicatorTraits {
  using Handle = ncclComm_t;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle communicator) noexcept { ncclCommAbort(communicator); }
};
using Communicator = UniqueHandle<CommunicatorTraits>;

}  // namespace ringrun::worker
