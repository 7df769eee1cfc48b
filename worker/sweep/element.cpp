#include "worker/sweep/element.hpp"

#include <array>

namespace ringrun::worker {
namespace {

struct TypeRow {
  DataType type;
  std::string_view name;
  std::size_t bytes;
};

constexpr std::array<TypeRow, 12> kTypes{{{DataType::kInt8, "int8", 1},
                                          {DataType::kUint8, "uint8", 1},
                                          {DataType::kInt32, "int32", 4},
                                          {DataType::kUint32, "uint32", 4},
                                          {DataType::kInt64, "int64", 8},
                                          {DataType::kUint64, "uint64", 8},
                                          {DataType::kHalf, "half", 2},
                                          {DataType::kFloat, "float", 4},
                                          {DataType::kDouble, "double", 8},
                                          {DataType::kBfloat16, "bfloat16", 2},
                                          {DataType::kFloat8e4m3, "f8e4m3", 1},
                                          {DataType::kFloat8e5m2, "f8e5m2", 1}}};

constexpr std::array<std::string_view, 6> kOps{"sum", "prod", "max", "min", "avg", "mulsum"};

const TypeRow& row_of(DataType type) { return kTypes.at(static_cast<std::size_t>(type)); }

}  // namespace

std::string_view name_of(DataType type) { return row_of(type).name; }
std::string_view name_of(ReduceOp op) { return kOps.at(static_cast<std::size_t>(op)); }
std::size_t size_of(DataType type) { return row_of(type).bytes; }

std::optional<DataType> data_type_from(std::string_view name) {
  for (const auto& row : kTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::optional<ReduceOp> reduce_op_from(std::string_view name) {
  for (ReduceOp op : all_reduce_ops()) {
    if (name_of(op) == name) return op;
  }
  return std::nullopt;
}

const std::vector<DataType>& all_data_types() {
  static const std::vector<DataType> all = [] {
    std::vector<DataType> types;
    for (const auto& row : kTypes) types.push_back(row.type);
    return types;
  }();
  return all;
}

const std::vector<ReduceOp>& all_reduce_ops() {
  static const std::vector<ReduceOp> all{ReduceOp::kSum, ReduceOp::kProd, ReduceOp::kMax,
                                         ReduceOp::kMin, ReduceOp::kAvg,  ReduceOp::kMulSum};
  return all;
}

}  // namespace ringrun::worker
