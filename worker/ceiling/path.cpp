#include "worker/ceiling/path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "worker/ceiling/demand.hpp"

namespace ringrun::worker {
namespace {

/// Beyond what timing and rounding can do.
constexpr double kImpossible = 1.05;

/// Of what travels, what is data: LL sends a flag with every 4 bytes, LL128 8 bytes of flags in every 128.
double data_share(const std::string& protocol) {
  if (protocol == "LL") return 0.5;
  if (protocol == "LL128") return 120.0 / 128;
  return 1;
}

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

Movement movement_of(const LibraryChoice& choice) {
  if (choice.algorithm == "RING") return Movement::kRing;
  // Of NVLS_TREE and CollNet only one level is done by switches; the least that any level sends holds for all of it.
  if (begins(choice.algorithm, "NVLS") || begins(choice.algorithm, "COLLNET")) return Movement::kInNetwork;
  return Movement::kLeast;
}

double seconds_of(const Stage& stage, const Path& path, const Operation& operation, const LibraryChoice& choice) {
  const auto nodes = static_cast<int>(stage.node_bandwidth.size());
  Demand together{std::vector<double>(stage.node_bandwidth.size(), 0), 0};
  for (const auto& [group, ranks] : path.group_ranks) {
    std::vector<int> nodes_of_group;
    for (int rank : ranks) nodes_of_group.push_back(stage.node_of_rank[static_cast<std::size_t>(rank)]);
    Operation of_group = operation;
    of_group.ranks = static_cast<int>(ranks.size());
    of_group = operation_of(of_group, static_cast<std::int64_t>(operation.bytes()));
    const Demand demand = demand_of(of_group, nodes_of_group, nodes, movement_of(choice));
    for (std::size_t node = 0; node < demand.of_node.size(); ++node) together.of_node[node] += demand.of_node[node];
    together.of_all += demand.of_all;
  }
  double seconds = together.of_all / std::accumulate(stage.node_bandwidth.begin(), stage.node_bandwidth.end(), 0.0);
  for (std::size_t node = 0; node < together.of_node.size(); ++node)
    seconds = std::max(seconds, together.of_node[node] / stage.node_bandwidth[node]);
  return seconds / data_share(choice.protocol);
}

/// What the slowest node's ports carry, GB/s.
double wire_of(const Path& path) {
  double wire = 0;
  for (const Stage& stage : path.stages) {
    const double slowest = *std::min_element(stage.node_bandwidth.begin(), stage.node_bandwidth.end()) / 1e9;
    wire = wire == 0 ? slowest : std::min(wire, slowest);
  }
  return wire;
}

std::string why_above_the_wire(const Expectation& expected, double wire) {
  const std::string figure = fmt::format("above the {:.2f} GB/s of the slowest node's ports, and possible: ", wire);
  if (movement_of(expected.choice) == Movement::kInNetwork)
    return figure + "the switches add up, so that less crosses the links than bus bandwidth counts";
  return figure +
         "ranks that share a node add up before they send (as trees do), so that less crosses the ports than "
         "bus bandwidth counts";
}

void judge(Measurement& measured, const Operation& operation, bool in_place, const Path& path) {
  if (!measured.expected) return;
  Expectation& expected = *measured.expected;
  if (operation.ranks == 1) {
    if (!in_place || !operation.description().defined_in_place) return;
    expected.impossible = true;
    expected.remark = "one rank has nothing to do in place: this is the time of a call";
    return;
  }
  const double least = least_seconds(path, operation, expected.choice);
  if (least <= 0 || measured.seconds <= 0) return;
  expected.ceiling = bandwidth_of(operation, least).bus;
  expected.reached = least / measured.seconds;
  const double wire = wire_of(path);
  const bool nominal =
      std::any_of(path.stages.begin(), path.stages.end(), [](const Stage& stage) { return stage.nominal; });
  if (expected.reached > kImpossible && nominal) {
    expected.remark = "above the rate that the kernel says of a virtual card, which no wire limits";
  } else if (expected.reached > kImpossible) {
    expected.impossible = true;
    expected.remark = fmt::format(
        "{:.0f} % above what the path can carry: the data took another way, or was not moved as the definition of the "
        "operation has it",
        100 * (expected.reached - 1));
  } else if (measured.bandwidth.bus > kImpossible * wire) {
    expected.remark = why_above_the_wire(expected, wire);
  }
}

}  // namespace

double least_seconds(const Path& path, const Operation& operation, const LibraryChoice& choice) {
  double seconds = 0;
  for (const Stage& stage : path.stages) seconds = std::max(seconds, seconds_of(stage, path, operation, choice));
  return seconds;
}

void judge(Row& row, const Path& path) {
  judge(row.out_of_place, row.operation, false, path);
  judge(row.in_place, row.operation, true, path);
}

}  // namespace ringrun::worker
