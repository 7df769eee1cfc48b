#include "worker/ceiling/demand.hpp"

#include <algorithm>

namespace ringrun::worker {
namespace {

/// The operation's ranks by their nodes.
class Nodes {
 public:
  Nodes(const std::vector<int>& node_of_rank, int nodes)
      : node_of_rank_(node_of_rank), ranks_(static_cast<std::size_t>(nodes), 0) {
    for (int node : node_of_rank) ++ranks_[static_cast<std::size_t>(node)];
  }

  std::size_t count() const { return ranks_.size(); }
  double ranks_of(std::size_t node) const { return ranks_[node]; }
  double all_ranks() const { return static_cast<double>(node_of_rank_.size()); }
  /// Of those that have ranks, beside one.
  double others() const {
    return static_cast<double>(std::count_if(ranks_.begin(), ranks_.end(), [](int ranks) { return ranks > 0; }) - 1);
  }
  std::size_t of_rank(int rank) const {
    return static_cast<std::size_t>(node_of_rank_[static_cast<std::size_t>(rank)]);
  }
  bool joins(int rank, int peer) const { return of_rank(rank) == of_rank(peer); }

 private:
  const std::vector<int>& node_of_rank_;
  std::vector<int> ranks_;
};

/// `bytes_of` is asked for each node that has ranks.
template <typename BytesOf>
std::vector<double> of_each(const Nodes& nodes, BytesOf bytes_of) {
  std::vector<double> bytes(nodes.count(), 0);
  for (std::size_t node = 0; node < nodes.count(); ++node) {
    if (nodes.ranks_of(node) > 0) bytes[node] = bytes_of(nodes.ranks_of(node));
  }
  return bytes;
}

/// A rank sends to another what no third one needs, so that nothing can be saved. The busier direction of each node.
template <typename Sends>
std::vector<double> of_exchange(const Nodes& nodes, Sends sends) {
  std::vector<double> out(nodes.count(), 0), in(nodes.count(), 0);
  sends([&](int from, int to, double bytes) {
    if (nodes.joins(from, to)) return;
    out[nodes.of_rank(from)] += bytes;
    in[nodes.of_rank(to)] += bytes;
  });
  for (std::size_t node = 0; node < nodes.count(); ++node) out[node] = std::max(out[node], in[node]);
  return out;
}

Demand uneven_exchange(const Operation& operation, const Nodes& nodes) {
  return {of_exchange(nodes,
                      [&](auto send) {
                        for (int rank = 0; rank < operation.ranks; ++rank) {
                          const Parts parts = uneven_parts(operation, rank);
                          for (int peer = 0; peer < operation.ranks; ++peer) {
                            const std::size_t elements = parts.counts[static_cast<std::size_t>(peer)];
                            send(rank, peer, static_cast<double>(elements * size_of(operation.type)));
                          }
                        }
                      }),
          0};
}

Demand to_the_next(const Operation& operation, const Nodes& nodes, double whole) {
  return {of_exchange(nodes,
                      [&](auto send) {
                        for (int rank = 0; rank < operation.ranks; ++rank)
                          send(rank, (rank + 1) % operation.ranks, whole);
                      }),
          0};
}

/// In each step a rank sends all that it has to the one across the next edge.
Demand along_edges(const Operation& operation, const Nodes& nodes, double part) {
  return {of_exchange(nodes,
                      [&](auto send) {
                        for (int edge = 1; edge < operation.ranks; edge *= 2)
                          for (int rank = 0; rank < operation.ranks; ++rank) send(rank, rank ^ edge, part * edge);
                      }),
          0};
}

}  // namespace

Demand demand_of(const Operation& operation, const std::vector<int>& node_of_rank, int node_count, Movement movement) {
  const Nodes nodes(node_of_rank, node_count);
  const double whole = static_cast<double>(operation.bytes());
  const double others = nodes.others();
  if (others < 1) return {std::vector<double>(nodes.count(), 0), 0};
  const double all = nodes.all_ranks();
  const double part = whole / all;
  const bool in_network = movement == Movement::kInNetwork;
  const bool ring = movement == Movement::kRing;
  switch (operation.kind) {
    case CollectiveKind::kAllReduce:
      if (ring) return {of_each(nodes, [&](double) { return 2 * part * (all - 1); }), 0};
      return {of_each(nodes, [&](double) { return whole; }), in_network ? 0 : 2 * others * whole};
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
      if (ring) return {of_each(nodes, [&](double) { return part * (all - 1); }), 0};
      // One direction carries what the others have, or want; the other one the node's own.
      return {of_each(nodes, [&](double ranks) { return part * std::max(all - ranks, ranks); }),
              in_network ? 0 : others * whole};
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      return {of_each(nodes, [&](double) { return whole; }), in_network ? 0 : others * whole};
    case CollectiveKind::kAllToAll:
      return {of_each(nodes, [&](double ranks) { return part * ranks * (all - ranks); }), 0};
    case CollectiveKind::kAllToAllV:
      return uneven_exchange(operation, nodes);
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter: {
      std::vector<double> bytes = of_each(nodes, [&](double ranks) { return part * ranks; });
      const std::size_t root = nodes.of_rank(operation.root);
      bytes[root] = part * (all - nodes.ranks_of(root));
      return {bytes, 0};
    }
    case CollectiveKind::kSendReceive:
      return to_the_next(operation, nodes, whole);
    case CollectiveKind::kHypercube:
      return along_edges(operation, nodes, part);
  }
  return {};
}

}  // namespace ringrun::worker
