#pragma once

#include "lib/error.hpp"

namespace ringrun::worker {

/// What the worker's exit status means: the numbers of nccl-tests, so that scripts made for it keep working.
enum class ExitCode : int {
  kSuccess = 0,
  kInternal = 1,
  kCuda = 2,
  kNccl = 3,
  kTimeout = 4,
  kUnsupported = 5,  ///< too few GPUs, or something that this backend or library cannot do
  kUsage = 6,
  kWrongData = 7,  ///< also an average bus bandwidth below what NCCL_TESTS_MIN_BW asks for
  kNetwork = 8,    ///< the hosts cannot reach each other as NCCL needs it; found before NCCL starts
};

/// A request that cannot be met: too few GPUs, a GPU taken twice, a type that the backend lacks. Ends with
/// kUnsupported.
class Unsupported : public UserError {
 public:
  using UserError::UserError;
};

}  // namespace ringrun::worker
