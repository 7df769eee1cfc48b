#include "worker/backend/nccl/nccl_element.hpp"

#include <cstdint>
#include <utility>

#include "lib/nccl/check.hpp"
#include "worker/sweep/pattern.hpp"

namespace ringrun::worker {
namespace {

/// A number in any element type.
union Scalar {
  std::int8_t int8;
  std::int32_t int32;
  std::int64_t int64;
  float single;
  double twice;
  std::uint8_t bits8;
  std::uint16_t bits16;
};

/// 1 or 2: the floating-point types that C++ lacks by their bits.
Scalar scalar_of(DataType type, int value) {
  Scalar scalar{};
  const bool two = value == 2;
  switch (type) {
    case DataType::kInt8:
    case DataType::kUint8:
      scalar.int8 = static_cast<std::int8_t>(value);
      break;
    case DataType::kInt32:
    case DataType::kUint32:
      scalar.int32 = value;
      break;
    case DataType::kInt64:
    case DataType::kUint64:
      scalar.int64 = value;
      break;
    case DataType::kFloat:
      scalar.single = static_cast<float>(value);
      break;
    case DataType::kDouble:
      scalar.twice = value;
      break;
    case DataType::kHalf:
      scalar.bits16 = two ? 0x4000 : 0x3C00;
      break;
    case DataType::kBfloat16:
      scalar.bits16 = two ? 0x4000 : 0x3F80;
      break;
    case DataType::kFloat8e4m3:
      scalar.bits8 = two ? 0x40 : 0x38;
      break;
    case DataType::kFloat8e5m2:
      scalar.bits8 = two ? 0x40 : 0x3C;
      break;
  }
  return scalar;
}

ncclRedOp_t built_in(ReduceOp op) {
  switch (op) {
    case ReduceOp::kProd:
      return ncclProd;
    case ReduceOp::kMax:
      return ncclMax;
    case ReduceOp::kMin:
      return ncclMin;
    case ReduceOp::kAvg:
      return ncclAvg;
    default:
      return ncclSum;
  }
}

}  // namespace

ncclDataType_t nccl_type(DataType type) {
  switch (type) {
    case DataType::kInt8:
      return ncclInt8;
    case DataType::kUint8:
      return ncclUint8;
    case DataType::kInt32:
      return ncclInt32;
    case DataType::kUint32:
      return ncclUint32;
    case DataType::kInt64:
      return ncclInt64;
    case DataType::kUint64:
      return ncclUint64;
    case DataType::kHalf:
      return ncclFloat16;
    case DataType::kFloat:
      return ncclFloat32;
    case DataType::kDouble:
      return ncclFloat64;
    case DataType::kBfloat16:
      return ncclBfloat16;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 24, 0)
    case DataType::kFloat8e4m3:
      return ncclFloat8e4m3;
    case DataType::kFloat8e5m2:
      return ncclFloat8e5m2;
#endif
    default:
      return ncclNumTypes;
  }
}

NcclReduction::NcclReduction(ReduceOp op, DataType type, int rank, ncclComm_t communicator) : op_(built_in(op)) {
  if (op != ReduceOp::kMulSum) return;
  Scalar scalar = scalar_of(type, multiplier(rank));
  check_nccl(ncclRedOpCreatePreMulSum(&op_, &scalar, nccl_type(type), ncclScalarHostImmediate, communicator),
             "ncclRedOpCreatePreMulSum");
  owner_ = communicator;
}

NcclReduction::~NcclReduction() {
  if (owner_ != nullptr) ncclRedOpDestroy(op_, owner_);
}

NcclReduction::NcclReduction(NcclReduction&& other) noexcept
    : op_(other.op_), owner_(std::exchange(other.owner_, nullptr)) {}

}  // namespace ringrun::worker
