#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringrun::worker {

/// Element types in NCCL's order.
enum class DataType : std::uint8_t {
  kInt8,
  kUint8,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kHalf,
  kFloat,
  kDouble,
  kBfloat16,
  kFloat8e4m3,
  kFloat8e5m2
};

/// Reductions in NCCL's order; mulsum multiplies each rank's input by a number of its own before the sum.
enum class ReduceOp : std::uint8_t { kSum, kProd, kMax, kMin, kAvg, kMulSum };

/// The names that nccl-tests takes and prints: "int8" … "f8e5m2"; "sum" … "mulsum".
std::string_view name_of(DataType type);
std::string_view name_of(ReduceOp op);

std::optional<DataType> data_type_from(std::string_view name);
std::optional<ReduceOp> reduce_op_from(std::string_view name);

const std::vector<DataType>& all_data_types();
const std::vector<ReduceOp>& all_reduce_ops();

/// Bytes of one element.
std::size_t size_of(DataType type);

}  // namespace ringrun::worker
