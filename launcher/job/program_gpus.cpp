#include "launcher/job/program_gpus.hpp"

#include <algorithm>
#include <utility>

#include "lib/error.hpp"
#include "lib/host/visible_devices_note.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {

std::vector<Gpu> chosen_gpus(const Host& host, HostFacts& facts) {
  if (!host.attributes.gpus) return std::move(facts.gpus);
  const std::string said = host.origin + ": 'gpus=" + format_cpu_list(*host.attributes.gpus) + "': ";
  const bool part = facts.gpus.size() == 1 && facts.gpus[0].mig;
  if (part && host.attributes.gpus->size() > 1) {
    throw UserError(said + "GPU " + std::to_string(facts.gpus[0].index) + " of " + host.name +
                        " is in MIG mode, and beside a MIG device CUDA shows no other",
                    "name it alone, or leave it out");
  }
  std::vector<Gpu> chosen;
  for (const int index : *host.attributes.gpus) {
    const auto found =
        std::find_if(facts.gpus.begin(), facts.gpus.end(), [&](const Gpu& gpu) { return gpu.index == index; });
    if (found == facts.gpus.end()) {
      throw UserError(
          said + host.name + " has no GPU " + std::to_string(index) + " that can be used",
          facts.gpu_note.empty() || is_mistaken(facts.gpu_note) ? "nvidia-smi -L lists them there" : facts.gpu_note);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

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
