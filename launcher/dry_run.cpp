#include "launcher/dry_run.hpp"

#include <algorithm>
#include <ostream>

#include "lib/text/table.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

std::string gpu_text(const JobHost& host, const RankPlacement& placement) {
  if (placement.gpu < 0) return "-";
  const Gpu& used = host.gpus[static_cast<std::size_t>(placement.gpu)];
  return std::to_string(used.index) + " " + used.bus_id + " " + used.name;
}

}  // namespace

void print_ranks(std::ostream& out, const Job& job) {
  Table table({"rank", "host", "local_rank", "gpu", "cpus"});
  std::vector<int> next(job.hosts.size(), 0);
  const std::vector<int> nobody;
  int rank = 0;
  for (const int place : job.certain ? job.host_of_rank : nobody) {
    const JobHost& host = job.hosts[static_cast<std::size_t>(place)];
    const int local = next[static_cast<std::size_t>(place)]++;
    const RankPlacement& placement = host.placements[static_cast<std::size_t>(local)];
    table.add_row({std::to_string(rank++), host.host.name, std::to_string(local), gpu_text(host, placement),
                   placement.cpus.empty() ? "engine" : format_cpu_list(placement.cpus)});
  }
  for (std::size_t i = 0; !job.certain && i < job.hosts.size(); ++i)
    table.add_row({"engine decides", job.hosts[i].host.name, "engine decides", "-", "engine"});
  table.print(out);
}

void print_hosts(std::ostream& out, const Job& job) {
  Table table({"host", "slots", "gpus", "cores"});
  const auto add = [&](const JobHost& host) {
    table.add_row({host.host.name, std::to_string(host.slots), std::to_string(host.gpus.size()),
                   std::to_string(core_count(host.answer.facts.machine))});
  };
  std::for_each(job.hosts.begin(), job.hosts.end(), add);
  std::for_each(job.idle.begin(), job.idle.end(), add);
  table.print(out);
}

}  // namespace ringrun
