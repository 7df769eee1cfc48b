#include "launcher/job/program_gpus.hpp"

#include <algorithm>

namespace ringrun {

ProgramGpus gpus_of_programs(std::vector<Gpu> first, const std::vector<std::vector<Gpu>>& more) {
  ProgramGpus gpus{std::move(first), {}};
  if (more.empty()) return gpus;
  const auto place_of = [&](const Gpu& gpu) {
    const auto found = std::find(gpus.all.begin(), gpus.all.end(), gpu);
    const auto place = static_cast<int>(found - gpus.all.begin());
    if (found == gpus.all.end()) gpus.all.push_back(gpu);
    return place;
  };
  gpus.of_program.emplace_back();
  for (std::size_t i = 0; i < gpus.all.size(); ++i) gpus.of_program[0].push_back(static_cast<int>(i));
  for (const std::vector<Gpu>& seen : more) {
    std::vector<int>& places = gpus.of_program.emplace_back();
    for (const Gpu& gpu : seen) places.push_back(place_of(gpu));
  }
  return gpus;
}

std::vector<int> gpu_of_each_rank(const Job& job, std::size_t host) {
  const auto& seen = job.hosts[host].gpus_of_program;
  if (seen.empty()) return {};
  if (!job.certain) {
    const std::size_t ranks = std::max(job.hosts[host].gpus.size(), static_cast<std::size_t>(job.hosts[host].ranks));
    return std::vector<int>(ranks, -1);
  }
  std::vector<int> gpus;
  std::size_t rank = 0;
  for (std::size_t program = 0; program < job.program_ranks.size(); ++program) {
    for (int i = 0; i < job.program_ranks[program]; ++i, ++rank) {
      if (job.host_of_rank[rank] != static_cast<int>(host)) continue;
      const std::vector<int>& own = seen[program];
      gpus.push_back(own.empty() ? -1 : own[gpus.size() % own.size()]);
    }
  }
  return gpus;
}

}  // namespace ringrun
