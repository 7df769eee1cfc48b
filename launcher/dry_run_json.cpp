#include <nlohmann/json.hpp>
#include <ostream>

#include "launcher/dry_run.hpp"
#include "launcher/job/placed_ranks.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::ordered_json;

Json text_json(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json gpu_json(const Gpu* gpu) {
  if (gpu == nullptr) return {};
  return {{"index", gpu->index},
          {"bus_id", text_json(gpu->bus_id)},
          {"uuid", text_json(gpu->uuid)},
          {"name", text_json(gpu->name)}};
}

Json rank_json(const PlacedRank& rank) {
  const RankPlacement& placement = rank.placement;
  const Machine& machine = rank.host.answer.facts.machine;
  // That of a host which was not asked.
  const bool unknown = machine == Machine{};
  return {{"rank", rank.rank},
          {"host", rank.host.host.name},
          {"local_rank", rank.local_rank},
          {"gpu", gpu_json(rank.gpu())},
          {"numa", placement.numa ? Json(*placement.numa) : Json()},
          {"cpus", text_json(format_cpu_list(placement.cpus))},
          {"nics", unknown ? Json() : Json(placement.nics)},
          {"hcas", unknown ? Json() : Json(placement.hcas)}};
}

Json unplaced_json(std::size_t rank, const Job& job) {
  const bool one_host = job.hosts.size() + job.idle.size() == 1;
  Json json = {{"rank", rank}, {"host", one_host ? Json(job.hosts[0].host.name) : Json()}};
  for (const char* name : {"local_rank", "gpu", "numa", "cpus", "nics", "hcas"}) json[name] = nullptr;
  return json;
}

}  // namespace

void print_ranks_json(std::ostream& out, const Job& job, const std::string& command) {
  Json ranks = Json::array();
  for (const PlacedRank& rank : placed_ranks(job)) ranks.push_back(rank_json(rank));
  for (std::size_t rank = 0; !job.certain && rank < job.host_of_rank.size(); ++rank)
    ranks.push_back(unplaced_json(rank, job));
  Json notes = Json::array();
  for (const auto& [note, hosts] : placement_notes(job)) notes.push_back({{"hosts", hosts}, {"note", note}});
  const Json json = {{"schema", 1}, {"ranks", ranks}, {"notes", notes}, {"command", text_json(command)}};
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
}

}  // namespace ringrun
