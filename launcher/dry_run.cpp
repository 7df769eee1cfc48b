#include "launcher/dry_run.hpp"

#include <ostream>

#include "lib/text/table.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {

void print_dry_run(std::ostream& out, const Job& job, const std::string& engine_line) {
  Table table({"rank", "host", "local_rank", "gpu", "cpus"});
  int rank = 0;
  for (const JobHost& host : job.hosts) {
    for (int local = 0; local < host.ranks; ++local) {
      const RankPlacement& placement = host.placements[static_cast<std::size_t>(local)];
      std::string gpu = "-";
      if (placement.gpu >= 0) {
        const Gpu& used = host.gpus[static_cast<std::size_t>(placement.gpu)];
        gpu = std::to_string(used.index) + " " + used.bus_id + " " + used.name;
      }
      table.add_row({std::to_string(rank++), host.host.name, std::to_string(local), gpu,
                     placement.cpus.empty() ? "engine" : format_cpu_list(placement.cpus)});
    }
  }
  table.print(out);
  out << "\n" << engine_line << "\n";
}

}  // namespace ringrun
