#pragma once

#include <cstddef>

#include "worker/sweep/collective.hpp"
#include "worker/sweep/pattern.hpp"

namespace ringrun::worker {

/// Test data in host memory, for the types that C++ and MPI both have: all but half and bfloat16, which throw
/// std::invalid_argument. `data` holds `count` elements of `type`.

/// Writes what `rank` contributes.
void fill_contribution(void* data, DataType type, const Pattern& pattern, int rank, std::size_t count);

/// Writes what is wrong at every element, so that a result that was never written is found.
void fill_wrong(void* data, DataType type, const Pattern& pattern, std::size_t count);

/// Compares with the result of all ranks.
WrongElements compare_with_result(const void* data, DataType type, const Pattern& pattern, int rank, std::size_t count);

}  // namespace ringrun::worker
