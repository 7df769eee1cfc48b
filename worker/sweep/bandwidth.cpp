#include "worker/sweep/bandwidth.hpp"

namespace ringrun::worker {
namespace {

double bus_share(BusShare share, int ranks) {
  const double others = static_cast<double>(ranks - 1) / ranks;
  switch (share) {
    case BusShare::kTwiceOthers:
      return 2 * others;
    case BusShare::kOthers:
      return others;
    default:
      return 1;
  }
}

}  // namespace

Bandwidth bandwidth_of(const Operation& operation, double seconds) {
  if (seconds <= 0) return {};
  double bytes = static_cast<double>(operation.bytes());
  // nccl-tests counts here only what a rank gets from others.
  if (operation.kind == CollectiveKind::kHypercube) bytes *= static_cast<double>(operation.ranks - 1) / operation.ranks;
  const double algorithm = bytes / 1e9 / seconds;
  return {algorithm, algorithm * bus_share(operation.description().bus_share, operation.ranks)};
}

}  // namespace ringrun::worker
