#include "launcher/dry_run.hpp"

#include <algorithm>
#include <ostream>

#include "launcher/job/placed_ranks.hpp"
#include "lib/text/table.hpp"
#include "lib/text/words.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string gpu_text(const PlacedRank& rank) {
  const Gpu* gpu = rank.gpu();
  if (gpu == nullptr) return "-";
  std::string text = std::to_string(gpu->index);
  for (const std::string& more : {gpu->bus_id, gpu->name}) text += more.empty() ? "" : " " + more;
  return text;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

/// The memory that a rank is given where it is not that of its NUMA node.
std::string other_memory(const RankPlacement& placement) {
  const bool same = placement.numa && placement.memory_nodes == std::vector<int>{*placement.numa};
  return same ? "" : format_cpu_list(placement.memory_nodes);
}

/// Leaves out the columns behind the GPU's in which no row says anything.
void remove_empty_columns(Rows& rows) {
  constexpr std::size_t kAlways = 4;
  for (std::size_t column = rows[0].size(); column-- > kAlways;) {
    const bool says = std::any_of(rows.begin() + 1, rows.end(), [&](const auto& row) { return row[column] != "-"; });
    if (says) continue;
    for (auto& row : rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
}

}  // namespace

void print_ranks(std::ostream& out, const Job& job) {
  Rows rows{{"rank", "host", "local_rank", "gpu", "numa", "cpus", "memory", "nics", "hcas"}};
  for (const PlacedRank& rank : placed_ranks(job)) {
    const RankPlacement& placement = rank.placement;
    // Without a GPU ringrun gives a rank nothing of these.
    const bool placed = placement.gpu >= 0;
    rows.push_back({std::to_string(rank.rank), rank.host.host.name, std::to_string(rank.local_rank), gpu_text(rank),
                    placement.numa ? std::to_string(*placement.numa) : "-",
                    placement.cpus.empty() ? "engine" : format_cpu_list(placement.cpus),
                    or_dash(other_memory(placement)), placed ? or_dash(join_text(placement.nics, ",")) : "-",
                    placed ? or_dash(join_text(placement.hcas, ",")) : "-"});
  }
  for (std::size_t i = 0; !job.certain && i < job.hosts.size(); ++i)
    rows.push_back({"engine decides", job.hosts[i].host.name, "engine decides", "-", "-", "engine", "-", "-", "-"});
  remove_empty_columns(rows);
  Table table(std::move(rows[0]));
  for (std::size_t i = 1; i < rows.size(); ++i) table.add_row(std::move(rows[i]));
  table.print(out);
}

void print_notes(std::ostream& out, const Job& job) {
  for (const auto& [note, hosts] : placement_notes(job)) {
    out << "note on " << hosts[0];
    if (hosts.size() > 1) out << " and " << hosts.size() - 1 << " more";
    out << ": " << note << "\n";
  }
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
