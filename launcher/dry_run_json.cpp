#include <algorithm>
#include <map>
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

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

/// The lines of a text so far to the right.
std::string indented(const std::string& text, std::size_t by) {
  std::string result(by, ' ');
  for (const char c : text) {
    result += c;
    if (c == '\n') result.append(by, ' ');
  }
  return result;
}

/// Most hosts are alike: what their ranks of one number have is written once for all of them.
class PlacementTexts {
 public:
  /// Name and value of everything that hosts which are alike have in common.
  const std::string& of(const PlacedRank& rank) {
    const Machine& machine = rank.host.answer.facts.machine;
    Written written{&rank.placement, rank.gpu(), machine == Machine{}, {}};
    std::vector<Written>& known = known_[rank.local_rank];
    const auto same = std::find_if(known.begin(), known.end(), [&](const Written& other) { return other.is(written); });
    if (same != known.end()) return same->text;
    if (known.size() == kMost) known.clear();
    written.text = write(written);
    return known.emplace_back(std::move(written)).text;
  }

 private:
  static constexpr std::size_t kMost = 16;

  struct Written {
    const RankPlacement* placement;
    const Gpu* gpu;
    /// The machine is that of a host which was not asked.
    bool unknown;
    std::string text;

    bool is(const Written& other) const {
      const bool same_gpu = gpu == other.gpu || (gpu != nullptr && other.gpu != nullptr && *gpu == *other.gpu);
      return same_gpu && unknown == other.unknown && *placement == *other.placement;
    }
  };

  static std::string write(const Written& rank) {
    const RankPlacement& placement = *rank.placement;
    const std::string text = text_of({{"gpu", gpu_json(rank.gpu)},
                                      {"numa", placement.numa ? Json(*placement.numa) : Json()},
                                      {"cpus", text_json(format_cpu_list(placement.cpus))},
                                      {"nics", rank.unknown ? Json() : Json(placement.nics)},
                                      {"hcas", rank.unknown ? Json() : Json(placement.hcas)}});
    // Without the braces.
    return text.substr(2, text.size() - 4);
  }

  std::map<int, std::vector<Written>> known_;
};

std::string rank_text(const PlacedRank& rank, PlacementTexts& placements) {
  return "{\n  \"rank\": " + std::to_string(rank.rank) + ",\n  \"host\": " + text_of(rank.host.host.name) +
         ",\n  \"local_rank\": " + std::to_string(rank.local_rank) + ",\n" + placements.of(rank) + "\n}";
}

Json unplaced_json(std::size_t rank, const Job& job) {
  const bool one_host = job.hosts.size() + job.idle.size() == 1;
  Json json = {{"rank", rank}, {"host", one_host ? Json(job.hosts[0].host.name) : Json()}};
  for (const char* name : {"local_rank", "gpu", "numa", "cpus", "nics", "hcas"}) json[name] = nullptr;
  return json;
}

}  // namespace

// Written rank by rank: as one value, those of ten thousand hosts would take hundreds of megabytes.
void print_ranks_json(std::ostream& out, const Job& job, const std::string& command) {
  out << "{\n  \"schema\": 1,\n  \"ranks\": [";
  const char* before = "\n";
  const auto print = [&](const std::string& text) {
    out << before << indented(text, 4);
    before = ",\n";
  };
  PlacementTexts placements;
  for (const PlacedRank& rank : placed_ranks(job)) print(rank_text(rank, placements));
  for (std::size_t rank = 0; !job.certain && rank < job.host_of_rank.size(); ++rank)
    print(text_of(unplaced_json(rank, job)));
  Json notes = Json::array();
  for (const auto& [note, hosts] : placement_notes(job)) notes.push_back({{"hosts", hosts}, {"note", note}});
  // An empty list stands on its line.
  out << (job.host_of_rank.empty() ? "],\n" : "\n  ],\n") << "  \"notes\": " << indented(text_of(notes), 2).substr(2)
      << ",\n  \"command\": " << text_of(text_json(command)) << "\n}\n";
}

}  // namespace ringrun
