#include "worker/sweep/collective_kind.hpp"

#include <array>

namespace ringrun::worker {
namespace {

constexpr std::array<CollectiveDescription, 11> kDescriptions{{
    {CollectiveKind::kAllReduce, "all_reduce", "all-reduce", Shape::kWhole, BusShare::kTwiceOthers, true, false, true},
    {CollectiveKind::kAllGather, "all_gather", "all-gather", Shape::kGathers, BusShare::kOthers, false, false, true},
    {CollectiveKind::kReduceScatter, "reduce_scatter", "reduce-scatter", Shape::kScatters, BusShare::kOthers, true,
     false, true},
    {CollectiveKind::kBroadcast, "broadcast", "broadcast", Shape::kWhole, BusShare::kAll, false, true, true},
    {CollectiveKind::kReduce, "reduce", "reduce", Shape::kWhole, BusShare::kAll, true, true, true},
    {CollectiveKind::kAllToAll, "alltoall", "all-to-all", Shape::kExchanges, BusShare::kOthers, false, false, false},
    {CollectiveKind::kAllToAllV, "alltoallv", "uneven all-to-all", Shape::kExchanges, BusShare::kOthers, false, false,
     false},
    {CollectiveKind::kGather, "gather", "gather", Shape::kGathers, BusShare::kOthers, false, true, true},
    {CollectiveKind::kScatter, "scatter", "scatter", Shape::kScatters, BusShare::kOthers, false, true, true},
    {CollectiveKind::kSendReceive, "sendrecv", "send-receive", Shape::kWhole, BusShare::kAll, false, false, false},
    {CollectiveKind::kHypercube, "hypercube", "hypercube all-gather", Shape::kGathers, BusShare::kAll, false, false,
     true},
}};

}  // namespace

const CollectiveDescription& description_of(CollectiveKind kind) {
  return kDescriptions.at(static_cast<std::size_t>(kind));
}

const std::vector<CollectiveKind>& all_collectives() {
  static const std::vector<CollectiveKind> all = [] {
    std::vector<CollectiveKind> kinds;
    for (const auto& description : kDescriptions) kinds.push_back(description.kind);
    return kinds;
  }();
  return all;
}

std::optional<CollectiveKind> collective_from(std::string_view name) {
  for (const auto& description : kDescriptions) {
    if (description.name == name) return description.kind;
  }
  return std::nullopt;
}

std::optional<CollectiveKind> collective_of_program(std::string_view program) {
  if (const auto slash = program.rfind('/'); slash != std::string_view::npos) program.remove_prefix(slash + 1);
  return collective_from(program.substr(0, program.find("_perf")));
}

}  // namespace ringrun::worker
