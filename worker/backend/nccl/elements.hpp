#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "worker/sweep/operation.hpp"
#include "worker/sweep/pattern.hpp"

namespace ringrun::worker {

/// False for what this version of CUDA lacks.
bool knows_on_gpu(DataType type);

// Test data in GPU memory. `data` holds elements of `type` on the current device; the work is enqueued on `stream`.
// Errors are those of the launch.

/// Writes the input of `rank`, `count` elements.
cudaError_t fill_contribution_on_gpu(void* data, DataType type, const Pattern& pattern, int rank, std::size_t count,
                                     cudaStream_t stream);

/// Writes what is wrong at every element of a segment of a result, so that one that was never written is found.
cudaError_t fill_wrong_on_gpu(void* data, DataType type, const Pattern& pattern, const Segment& segment,
                              cudaStream_t stream);

/// In device memory. Set `count` to 0 and `first_index` to UINT64_MAX before.
struct Mismatches {
  unsigned long long count;
  unsigned long long first_index;
};

/// Counts the elements of a segment that are not what they must be. Their indices are those of the result.
cudaError_t compare_on_gpu(const void* data, DataType type, const Pattern& pattern, double relative_tolerance,
                           const Segment& segment, Mismatches* mismatches, cudaStream_t stream);

/// Writes the element at `index` as a double (half, bfloat16, float, double) or as a whole number.
struct ElementValue {
  double floating;
  long long whole;
  bool is_whole;
};
cudaError_t read_element_on_gpu(const void* data, DataType type, std::uint64_t index, ElementValue* value,
                                cudaStream_t stream);

}  // namespace ringrun::worker
