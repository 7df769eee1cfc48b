#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "worker/sweep/collective_kind.hpp"
#include "worker/sweep/element.hpp"

namespace ringrun::worker {

/// Numbers of elements, as nccl-tests chooses them.
struct Layout {
  std::size_t count = 0;  ///< that the call is given, and that the table shows
  std::size_t send = 0;   ///< of each rank's input
  std::size_t receive = 0;
  /// In place both stand in the receive buffer: rank r's input at r times the one, its result at r times the other.
  std::size_t input_in_place = 0;
  std::size_t output_in_place = 0;
};

/// `count` elements of a whole buffer. Where they are divided among the ranks, each part is a multiple of 16 bytes.
Layout layout_of(Shape shape, std::size_t count, std::size_t element_bytes, int ranks);

/// One operation as every rank calls it.
struct Operation {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  DataType type = DataType::kFloat;
  ReduceOp op = ReduceOp::kSum;
  int root = -1;  ///< -1 where the operation has none
  bool in_place = false;
  int ranks = 1;
  Layout layout;
  std::size_t begin = 0;  ///< elements from the begin of each buffer

  /// Of the larger one of input and result: the table's size.
  std::size_t bytes() const { return std::max(layout.send, layout.receive) * size_of(type); }
  const CollectiveDescription& description() const { return description_of(kind); }
};

/// Makes its layout of `bytes` of a whole buffer; the type, the ranks and whether it is in place are `like`'s.
Operation operation_of(Operation like, std::int64_t bytes);

/// "all-reduce of 512 bytes (int32 sum, out-of-place)".
std::string text_of(const Operation& operation);

/// Elements of a result that stand together and come from one rank, or from all of them.
struct Segment {
  static constexpr int kAllReduced = -1;

  std::size_t begin = 0;  ///< in the result
  std::size_t count = 0;
  int source = kAllReduced;      ///< the rank whose input it is, or kAllReduced
  std::size_t source_begin = 0;  ///< where it stands in that input
};

/// What `rank` must have after the operation. Empty for a rank that gets nothing.
std::vector<Segment> result_of(const Operation& operation, int rank);

/// How the input of an uneven all-to-all is divided among the peers, and its result as well: between two ranks the same
/// number goes either way.
struct Parts {
  std::vector<std::size_t> counts;
  std::vector<std::size_t> offsets;
};
Parts uneven_parts(const Operation& operation, int rank);

}  // namespace ringrun::worker
