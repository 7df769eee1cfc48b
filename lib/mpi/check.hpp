#pragma once

#include <mpi.h>

#include <array>
#include <source_location>

#include "lib/mpi/error.hpp"

namespace ringrun::mpi {

/// Throws MpiError with MPI's own text where `code` is not MPI_SUCCESS. `call` is the call's name.
inline void check(int code, const char* call, std::source_location where = std::source_location::current()) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw MpiError(call, text.data(), code, where);
}

}  // namespace ringrun::mpi
