#include "worker/sweep/operation.hpp"

#include <stdexcept>

namespace ringrun::worker {
namespace {

std::size_t at_rank(int rank) { return static_cast<std::size_t>(rank); }

/// The part of every rank's input that is `rank`'s, one after the other.
std::vector<Segment> parts_of_everybody(const Operation& operation, std::size_t source_begin) {
  std::vector<Segment> segments;
  for (int source = 0; source < operation.ranks; ++source)
    segments.push_back({at_rank(source) * operation.layout.count, operation.layout.count, source, source_begin});
  return segments;
}

}  // namespace

Layout layout_of(Shape shape, std::size_t count, std::size_t element_bytes, int ranks) {
  if (shape == Shape::kWhole) return {count, count, count, 0, 0};
  const std::size_t aligned = 16 / element_bytes;
  const std::size_t part = count / at_rank(ranks) / aligned * aligned;
  const std::size_t all = part * at_rank(ranks);
  switch (shape) {
    case Shape::kGathers:
      return {part, part, all, part, 0};
    case Shape::kScatters:
      return {part, all, part, 0, part};
    default:
      return {part, all, all, 0, 0};
  }
}

Operation operation_of(Operation like, std::int64_t bytes) {
  const std::size_t size = size_of(like.type);
  like.layout = layout_of(like.description().shape, static_cast<std::size_t>(bytes) / size, size, like.ranks);
  return like;
}

std::string text_of(const Operation& operation) {
  const CollectiveDescription& description = operation.description();
  std::string text(description.words);
  text += " of " + std::to_string(operation.bytes()) + " bytes (" + std::string(name_of(operation.type));
  if (description.reduces) text += " " + std::string(name_of(operation.op));
  if (description.has_root) text += ", root " + std::to_string(operation.root);
  return text + (operation.in_place ? ", in-place)" : ", out-of-place)");
}

std::vector<Segment> result_of(const Operation& operation, int rank) {
  const std::size_t count = operation.layout.count;
  switch (operation.kind) {
    case CollectiveKind::kAllReduce:
      return {{0, count, Segment::kAllReduced, 0}};
    case CollectiveKind::kReduce:
      return rank == operation.root ? std::vector<Segment>{{0, count, Segment::kAllReduced, 0}}
                                    : std::vector<Segment>{};
    case CollectiveKind::kReduceScatter:
      return {{0, count, Segment::kAllReduced, at_rank(rank) * count}};
    case CollectiveKind::kBroadcast:
      return {{0, count, operation.root, 0}};
    case CollectiveKind::kScatter:
      return {{0, count, operation.root, at_rank(rank) * count}};
    case CollectiveKind::kSendReceive:
      return {{0, count, (rank + operation.ranks - 1) % operation.ranks, 0}};
    case CollectiveKind::kAllGather:
    case CollectiveKind::kHypercube:
      return parts_of_everybody(operation, 0);
    case CollectiveKind::kGather:
      return rank == operation.root ? parts_of_everybody(operation, 0) : std::vector<Segment>{};
    case CollectiveKind::kAllToAll:
      return parts_of_everybody(operation, at_rank(rank) * count);
    case CollectiveKind::kAllToAllV: {
      const Parts here = uneven_parts(operation, rank);
      std::vector<Segment> segments;
      for (int source = 0; source < operation.ranks; ++source) {
        const Parts there = uneven_parts(operation, source);
        segments.push_back(
            {here.offsets[at_rank(source)], here.counts[at_rank(source)], source, there.offsets[at_rank(rank)]});
      }
      return segments;
    }
  }
  throw std::invalid_argument("result_of: unknown operation");
}

Parts uneven_parts(const Operation& operation, int rank) {
  Parts parts;
  std::size_t offset = 0;
  for (int peer = 0; peer < operation.ranks; ++peer) {
    // Weights 1 … n, in another order for each rank: together the n equal parts of an even all-to-all.
    const std::size_t weight = at_rank((rank + peer) % operation.ranks) + 1;
    const std::size_t count = 2 * operation.layout.count * weight / (at_rank(operation.ranks) + 1);
    parts.counts.push_back(count);
    parts.offsets.push_back(offset);
    offset += count;
  }
  return parts;
}

}  // namespace ringrun::worker
