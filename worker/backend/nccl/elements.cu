#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 11080
#include <cuda_fp8.h>
#define RINGRUN_HAS_FLOAT8
#endif

#include <algorithm>

#include "worker/backend/nccl/elements.hpp"

namespace ringrun::worker {
namespace {

template <typename T>
struct IsWhole {
  static constexpr bool value = static_cast<T>(0.5f) == static_cast<T>(0);
};
template <>
struct IsWhole<__half> {
  static constexpr bool value = false;
};
template <>
struct IsWhole<__nv_bfloat16> {
  static constexpr bool value = false;
};

#ifdef RINGRUN_HAS_FLOAT8
template <>
struct IsWhole<__nv_fp8_e4m3> {
  static constexpr bool value = false;
};
template <>
struct IsWhole<__nv_fp8_e5m2> {
  static constexpr bool value = false;
};
#endif

// Whole numbers of the types below 32 bits are below 2^24: exact in float on the way.
template <typename T>
__device__ T from_whole(std::int64_t value) {
  return static_cast<T>(value);
}
template <>
__device__ __half from_whole<__half>(std::int64_t value) {
  return __float2half(static_cast<float>(value));
}
template <>
__device__ __nv_bfloat16 from_whole<__nv_bfloat16>(std::int64_t value) {
  return __float2bfloat16(static_cast<float>(value));
}

#ifdef RINGRUN_HAS_FLOAT8
template <>
__device__ __nv_fp8_e4m3 from_whole<__nv_fp8_e4m3>(std::int64_t value) {
  return __nv_fp8_e4m3(static_cast<float>(value));
}
template <>
__device__ __nv_fp8_e5m2 from_whole<__nv_fp8_e5m2>(std::int64_t value) {
  return __nv_fp8_e5m2(static_cast<float>(value));
}
#endif

template <typename T>
__device__ double to_double(T value) {
  return static_cast<double>(value);
}
template <>
__device__ double to_double<__half>(__half value) {
  return static_cast<double>(__half2float(value));
}
template <>
__device__ double to_double<__nv_bfloat16>(__nv_bfloat16 value) {
  return static_cast<double>(__bfloat162float(value));
}

#ifdef RINGRUN_HAS_FLOAT8
template <>
__device__ double to_double<__nv_fp8_e4m3>(__nv_fp8_e4m3 value) {
  return static_cast<double>(static_cast<float>(value));
}
template <>
__device__ double to_double<__nv_fp8_e5m2>(__nv_fp8_e5m2 value) {
  return static_cast<double>(static_cast<float>(value));
}
#endif

template <typename T>
__device__ T wrong_value(const Pattern& pattern, int source, std::uint64_t index) {
  if constexpr (IsWhole<T>::value) {
    const std::int64_t right = expected_value(pattern, source, index);
    return static_cast<T>((pattern.op == ReduceOp::kAvg ? right / pattern.ranks : right) + 1);
  } else if constexpr (sizeof(T) == 1) {
    T nan;
    reinterpret_cast<unsigned char&>(nan) = 0xFF;
    return nan;
  } else if constexpr (sizeof(T) == 2) {
    T nan;
    reinterpret_cast<unsigned short&>(nan) = 0xFFFF;
    return nan;
  } else {
    return static_cast<T>(NAN);
  }
}

template <typename T>
__device__ bool is_right(T got, const Pattern& pattern, double tolerance, int source, std::uint64_t index) {
  const std::int64_t right = expected_value(pattern, source, index);
  if (pattern.op != ReduceOp::kAvg) {
    if constexpr (IsWhole<T>::value) {
      return got == static_cast<T>(right);
    } else {
      return to_double(got) == to_double(from_whole<T>(right));
    }
  }
  if constexpr (IsWhole<T>::value) {
    return got == static_cast<T>(right / pattern.ranks);
  } else {
    const double exact = static_cast<double>(right) / pattern.ranks;
    return fabs(to_double(got) - exact) <= tolerance * exact;  // false for NaN
  }
}

template <typename T>
__global__ void fill_contribution_kernel(T* data, Pattern pattern, int rank, std::size_t count) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < count; i += step) {
    data[i] = from_whole<T>(contribution(pattern, rank, i));
  }
}

template <typename T>
__global__ void fill_wrong_kernel(T* data, Pattern pattern, Segment segment) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < segment.count; i += step) {
    data[segment.begin + i] = wrong_value<T>(pattern, segment.source, segment.source_begin + i);
  }
}

template <typename T>
__global__ void compare_kernel(const T* data, Pattern pattern, double tolerance, Segment segment, Mismatches* found) {
  const std::size_t step = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x; i < segment.count; i += step) {
    const std::size_t index = segment.begin + i;
    if (is_right(data[index], pattern, tolerance, segment.source, segment.source_begin + i)) continue;
    atomicAdd(&found->count, 1ull);
    atomicMin(&found->first_index, static_cast<unsigned long long>(index));
  }
}

template <typename T>
__global__ void read_element_kernel(const T* data, std::uint64_t index, ElementValue* value) {
  value->floating = to_double(data[index]);
  value->is_whole = IsWhole<T>::value;
  if constexpr (IsWhole<T>::value) value->whole = static_cast<long long>(data[index]);
}

constexpr int kThreads = 256;

int blocks_for(std::size_t count) {
  constexpr std::size_t kMostBlocks = 4096;  // the kernels stride over the rest
  return static_cast<int>(std::max<std::size_t>(1, std::min(kMostBlocks, (count + kThreads - 1) / kThreads)));
}

/// Calls `launch` with a null pointer of the C++ type, and returns the launch's error.
template <typename Launch>
cudaError_t with_type(DataType type, Launch launch) {
  switch (type) {
    case DataType::kInt8:
      launch(static_cast<std::int8_t*>(nullptr));
      break;
    case DataType::kUint8:
      launch(static_cast<std::uint8_t*>(nullptr));
      break;
    case DataType::kInt32:
      launch(static_cast<std::int32_t*>(nullptr));
      break;
    case DataType::kUint32:
      launch(static_cast<std::uint32_t*>(nullptr));
      break;
    case DataType::kInt64:
      launch(static_cast<std::int64_t*>(nullptr));
      break;
    case DataType::kUint64:
      launch(static_cast<std::uint64_t*>(nullptr));
      break;
    case DataType::kHalf:
      launch(static_cast<__half*>(nullptr));
      break;
    case DataType::kFloat:
      launch(static_cast<float*>(nullptr));
      break;
    case DataType::kDouble:
      launch(static_cast<double*>(nullptr));
      break;
    case DataType::kBfloat16:
      launch(static_cast<__nv_bfloat16*>(nullptr));
      break;
#ifdef RINGRUN_HAS_FLOAT8
    case DataType::kFloat8e4m3:
      launch(static_cast<__nv_fp8_e4m3*>(nullptr));
      break;
    case DataType::kFloat8e5m2:
      launch(static_cast<__nv_fp8_e5m2*>(nullptr));
      break;
#endif
    default:
      return cudaErrorNotSupported;
  }
  return cudaGetLastError();
}

}  // namespace

bool knows_on_gpu(DataType type) {
#ifdef RINGRUN_HAS_FLOAT8
  return type <= DataType::kFloat8e5m2;
#else
  return type <= DataType::kBfloat16;
#endif
}

cudaError_t fill_contribution_on_gpu(void* data, DataType type, const Pattern& pattern, int rank, std::size_t count,
                                     cudaStream_t stream) {
  return with_type(type, [&](auto* null) {
    fill_contribution_kernel<<<blocks_for(count), kThreads, 0, stream>>>(static_cast<decltype(null)>(data), pattern,
                                                                         rank, count);
  });
}

cudaError_t fill_wrong_on_gpu(void* data, DataType type, const Pattern& pattern, const Segment& segment,
                              cudaStream_t stream) {
  return with_type(type, [&](auto* null) {
    fill_wrong_kernel<<<blocks_for(segment.count), kThreads, 0, stream>>>(static_cast<decltype(null)>(data), pattern,
                                                                          segment);
  });
}

cudaError_t compare_on_gpu(const void* data, DataType type, const Pattern& pattern, double relative_tolerance,
                           const Segment& segment, Mismatches* mismatches, cudaStream_t stream) {
  return with_type(type, [&](auto* null) {
    compare_kernel<<<blocks_for(segment.count), kThreads, 0, stream>>>(
        static_cast<decltype(null)>(const_cast<void*>(data)), pattern, relative_tolerance, segment, mismatches);
  });
}

cudaError_t read_element_on_gpu(const void* data, DataType type, std::uint64_t index, ElementValue* value,
                                cudaStream_t stream) {
  return with_type(type, [&](auto* null) {
    read_element_kernel<<<1, 1, 0, stream>>>(static_cast<decltype(null)>(const_cast<void*>(data)), index, value);
  });
}

}  // namespace ringrun::worker
