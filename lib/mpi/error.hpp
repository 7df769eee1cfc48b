#pragma once

#include "lib/error.hpp"

namespace ringrun {

/// A failed call of MPI. As a rule a peer went away, or the network to it.
class MpiError : public SystemError {
 public:
  using SystemError::SystemError;
};

}  // namespace ringrun
