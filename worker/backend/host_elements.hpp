#pragma once

#include <cstddef>
#include <vector>

#include "worker/sweep/collective.hpp"
#include "worker/sweep/pattern.hpp"

namespace ringrun::worker {

/// Test data in host memory, for the types that C++ and MPI both have; the others (half, bfloat16, those of 8 bits)
/// throw std::invalid_argument. `data` holds elements of `type`.

/// Writes the input of `rank`, `count` elements.
void fill_contribution(void* data, DataType type, const Pattern& pattern, int rank, std::size_t count);

/// Writes what is wrong at every element of a result, so that one that was never written is found.
void fill_wrong(void* data, DataType type, const Pattern& pattern, const std::vector<Segment>& result);

/// Compares what `rank` has with what it must have.
WrongElements compare_with_result(const void* data, DataType type, const Pattern& pattern,
                                  const std::vector<Segment>& result, int rank);

}  // namespace ringrun::worker
