#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ringrun::worker {

/// The operations that nccl-tests has programs for.
enum class CollectiveKind : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBroadcast,
  kReduce,
  kAllToAll,
  kAllToAllV,
  kGather,
  kScatter,
  kSendReceive,
  kHypercube
};

/// Which parts of the data stand with each rank, before and after.
enum class Shape : std::uint8_t {
  kWhole,     ///< as much before as after
  kGathers,   ///< one rank's part before, everybody's parts after
  kScatters,  ///< everybody's parts before, one rank's part after
  kExchanges  ///< a part for every rank before, a part of every rank after
};

/// How much of an operation's bytes must cross the bus of each of n ranks, whatever the algorithm.
enum class BusShare : std::uint8_t {
  kTwiceOthers,  ///< 2(n-1)/n
  kOthers,       ///< (n-1)/n
  kAll           ///< 1
};

/// All that tells one operation from another, but for the calls that do it.
struct CollectiveDescription {
  CollectiveKind kind;
  std::string_view name;   ///< of nccl-tests' program, without "_perf": "all_reduce"
  std::string_view words;  ///< in sentences: "all-reduce"
  Shape shape;
  BusShare bus_share;
  bool reduces;   ///< a reduction is chosen with -o
  bool has_root;  ///< a root is chosen with -r
  /// The result in place is defined. Where it is not, NCCL's sends overwrite what is still to be sent, and nccl-tests
  /// too times the operation without checking it.
  bool defined_in_place;
};

const CollectiveDescription& description_of(CollectiveKind kind);
const std::vector<CollectiveKind>& all_collectives();

inline std::string_view name_of(CollectiveKind kind) { return description_of(kind).name; }
std::optional<CollectiveKind> collective_from(std::string_view name);

/// "all_reduce_perf" → all_reduce, also with a folder before it and with a suffix (NAME_SUFFIX of nccl-tests) behind.
std::optional<CollectiveKind> collective_of_program(std::string_view program);

}  // namespace ringrun::worker
