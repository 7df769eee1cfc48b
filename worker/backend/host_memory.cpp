#include "worker/backend/host_memory.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "lib/text/byte_size.hpp"
#include "worker/backend/host_buffer.hpp"

namespace ringrun::worker {
namespace {

/// A host or a control group, with those who take memory of it.
struct Shared {
  MemoryRoom room;  ///< as the first of them saw it
  std::string host;
  int ranks = 0;
};

/// Buffers that MPI takes beside, for each rank. Open MPI 4.1.4 was seen to take up to 0.8 of one for a reduction, 0.6
/// for an all-to-all, one for a send-receive in place, and 1.6 for a reduce-scatter among eight ranks.
int buffers_of_mpi(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kReduceScatter:
      return 2;
    case CollectiveKind::kAllReduce:
    case CollectiveKind::kReduce:
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kAllToAllV:
    case CollectiveKind::kSendReceive:
      return 1;
    default:
      return 0;
  }
}

/// "two buffers of 256M for each of 2 ranks, and one that MPI takes beside,"
std::string need_text(const Options& options, int ranks) {
  const int beside = buffers_of_mpi(options.plan.kind);
  return fmt::format("two buffers of {} for {}{}", format_byte_size(options.largest),
                     ranks == 1 ? "one rank" : fmt::format("each of {} ranks", ranks),
                     beside == 0   ? ""
                     : beside == 1 ? ", and one that MPI takes beside,"
                                   : ", and two that MPI takes beside,");
}

std::string mebibytes(std::int64_t bytes) { return std::to_string(bytes >> 20) + "M"; }

std::string where(const Shared& shared) {
  const std::string unused = mebibytes(shared.room.unused_bytes);
  if (shared.room.cgroup.empty()) return fmt::format("the free memory of {} ({})", shared.host, unused);
  return fmt::format("what the memory limit of cgroup {} on {} leaves free ({} of {})", shared.room.cgroup, shared.host,
                     unused, mebibytes(shared.room.limit_bytes));
}

}  // namespace

std::optional<Unsupported> refusal_by_memory(const Options& options, const std::vector<ProcessFacts>& facts) {
  const auto buffer = static_cast<std::size_t>(options.largest);
  const double of_rank =
      (2 + buffers_of_mpi(options.plan.kind)) * static_cast<double>(host_buffer_bytes(buffer, options.misalignment));
  // By the host's first process and what tells the limit from others there.
  std::map<std::pair<int, std::string>, Shared> all;
  for (const ProcessFacts& process : facts) {
    for (const MemoryRoom& room : process.memory) {
      Shared& shared = all.try_emplace({process.leader, room.id}, Shared{room, process.host}).first->second;
      ++shared.ranks;
    }
  }
  for (const auto& [key, shared] : all) {
    if (of_rank * shared.ranks <= 0.9 * static_cast<double>(shared.room.unused_bytes)) continue;
    return Unsupported(
        fmt::format("{} do not fit into {}", need_text(options, shared.ranks), where(shared)),
        shared.room.cgroup.empty()
            ? "give a smaller largest size (-e), or start fewer ranks on that host"
            : "give a smaller largest size (-e), start fewer ranks there, or raise the limit (docker run --memory, "
              "sbatch --mem, systemd's MemoryMax)");
  }
  return std::nullopt;
}

}  // namespace ringrun::worker
