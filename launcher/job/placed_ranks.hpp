#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/job/job.hpp"

namespace ringrun {

/// A rank of the job and where it runs.
struct PlacedRank {
  int rank = 0;
  const JobHost& host;
  int local_rank = 0;
  const RankPlacement& placement;

  /// nullptr for none.
  const Gpu* gpu() const;
};

/// In rank order; none where only the engine knows where ranks run. They refer to the job.
std::vector<PlacedRank> placed_ranks(const Job& job);

/// What is to be known of the hosts' placements: each note once, with the names of its hosts.
std::vector<std::pair<std::string, std::vector<std::string>>> placement_notes(const Job& job);

}  // namespace ringrun
