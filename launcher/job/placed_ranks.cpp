#include "launcher/job/placed_ranks.hpp"

#include <algorithm>

namespace ringrun {

const Gpu* PlacedRank::gpu() const {
  return placement.gpu < 0 ? nullptr : &host.gpus[static_cast<std::size_t>(placement.gpu)];
}

std::vector<PlacedRank> placed_ranks(const Job& job) {
  std::vector<PlacedRank> ranks;
  if (!job.certain) return ranks;
  std::vector<int> next(job.hosts.size(), 0);
  for (const int place : job.host_of_rank) {
    const JobHost& host = job.hosts[static_cast<std::size_t>(place)];
    const int local = next[static_cast<std::size_t>(place)]++;
    ranks.push_back({static_cast<int>(ranks.size()), host, local, host.placements[static_cast<std::size_t>(local)]});
  }
  return ranks;
}

std::vector<std::pair<std::string, std::vector<std::string>>> placement_notes(const Job& job) {
  std::vector<std::pair<std::string, std::vector<std::string>>> notes;
  for (const JobHost& host : job.hosts) {
    if (host.note.empty()) continue;
    auto same = std::find_if(notes.begin(), notes.end(), [&](const auto& other) { return other.first == host.note; });
    if (same == notes.end()) same = notes.insert(notes.end(), {host.note, {}});
    same->second.push_back(host.host.name);
  }
  return notes;
}

}  // namespace ringrun
