#pragma once

#include <nccl.h>

#include "worker/sweep/element.hpp"

namespace ringrun::worker {

/// The type as NCCL numbers it; of a type that the header lacks, ncclNumTypes.
ncclDataType_t nccl_type(DataType type);

/// A reduction of one communicator, for as long as it is used.
class NcclReduction {
 public:
  /// `rank` has a multiplier of its own in a mulsum.
  NcclReduction(ReduceOp op, DataType type, int rank, ncclComm_t communicator);
  ~NcclReduction();
  NcclReduction(NcclReduction&& other) noexcept;
  NcclReduction& operator=(NcclReduction&&) = delete;

  ncclRedOp_t get() const { return op_; }

 private:
  ncclRedOp_t op_;
  ncclComm_t owner_ = nullptr;  ///< where the reduction was made for it
};

}  // namespace ringrun::worker
