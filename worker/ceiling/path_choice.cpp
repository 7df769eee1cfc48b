#include "worker/ceiling/path_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>

#include "lib/text/words.hpp"

namespace ringrun::worker {
namespace {

using nlohmann::json;

constexpr std::size_t kMostNamed = 8;

/// "a, b, c", of many the first ones and their number.
std::string names_of(std::vector<std::string> names) {
  const std::size_t all = names.size();
  if (all > kMostNamed) names.resize(kMostNamed);
  return join_text(names, ", ") + (all > kMostNamed ? fmt::format(" and {} more", all - kMostNamed) : "");
}

/// What passes a node's ports at least, for h nodes that have k of the n ranks each.
const char* formula_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return "2(h-1)/h of the size over h of them, around a ring 2(n-1)/n over n ranks";
    case CollectiveKind::kAllGather:
    case CollectiveKind::kReduceScatter:
      return "(h-1)/h of the size over h of them, around a ring (n-1)/n over n ranks";
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
      return "the size once";
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kAllToAllV:
      return "k(n-k)/n of the size for k of the n ranks";
    case CollectiveKind::kGather:
    case CollectiveKind::kScatter:
      return "(n-k)/n of the size where the root and k-1 more of the n ranks are";
    case CollectiveKind::kSendReceive:
      return "the size for each rank whose neighbour is elsewhere";
    case CollectiveKind::kHypercube:
      return "what its ranks send along edges that lead elsewhere";
  }
  return "";
}

void add_formula(Path& path, const char* ports, CollectiveKind kind) {
  path.remarks.push_back(fmt::format(
      "Expected: the ceiling is the bus bandwidth at which the busiest {} carry only what must pass them: {}", ports,
      formula_of(kind)));
}

std::string ports_text(const HostPorts& host) {
  std::vector<std::string> words;
  for (const Port& port : host.ports)
    words.push_back(fmt::format("{} ({}{})", port.name, port.rate, port.nominal ? ", a virtual card's word" : ""));
  return join_text(words, " and ");
}

double sum_of(const HostPorts& host) {
  return std::accumulate(host.ports.begin(), host.ports.end(), 0.0,
                         [](double sum, const Port& port) { return sum + port.bandwidth; });
}

/// Two way rates of PCIe, GB/s a lane, from generation 1 on; then what headers leave of 256-byte packets.
double pcie_bandwidth(const GpuLinks& links) {
  constexpr std::array<double, 6> kLane{0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
  constexpr double kDataShare = 256.0 / (256 + 24);
  const int generation = std::min(links.pcie_generation, static_cast<int>(kLane.size()));
  return generation < 1 ? 0 : kLane.at(static_cast<std::size_t>(generation - 1)) * links.pcie_width * kDataShare * 1e9;
}

bool any_begins(const std::vector<std::string>& words, const char* with) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) { return word.rfind(with, 0) == 0; });
}

/// Why no ceiling is claimed between the GPUs of one host; "" where one is.
std::string why_no_ceiling(const std::vector<std::string>& transports) {
  if (transports.empty())
    return "NCCL does not say how it joins the ranks (it does where neither NCCL_DEBUG nor NCCL_DEBUG_FILE is set)";
  if (any_begins(transports, "NET/"))
    return "NCCL joins ranks of this host by " + join_text(transports, ", ") + ", within the host: no link has a rate";
  return "";
}

}  // namespace

std::string to_text(const HostPorts& ports) {
  json all = json::array();
  for (const Port& port : ports.ports) all.push_back({port.name, port.bandwidth, port.rate, port.nominal});
  return json{{"host", ports.host}, {"ports", all}}.dump(-1, ' ', false, json::error_handler_t::replace);
}

HostPorts host_ports_from(const std::string& text) {
  const json from = json::parse(text);
  HostPorts ports{from.at("host"), {}};
  for (const json& port : from.at("ports")) ports.ports.push_back({port.at(0), port.at(1), port.at(2), port.at(3)});
  return ports;
}

void add_hosts(Path& path, const std::vector<HostPorts>& hosts, const std::vector<int>& host_of_rank,
               CollectiveKind kind) {
  Stage stage{host_of_rank, {}, "network cards", false};
  std::vector<std::string> silent, unrated;
  std::vector<std::pair<std::string, std::vector<std::string>>> alike;  // hosts by their ports
  for (const HostPorts& host : hosts) {
    stage.node_bandwidth.push_back(sum_of(host));
    if (host.ports.empty()) {
      silent.push_back(host.host);
      continue;
    }
    for (const Port& port : host.ports) {
      stage.nominal = stage.nominal || port.nominal;
      if (port.bandwidth <= 0) unrated.push_back(port.name + " of " + host.host);
    }
    const std::string ports = ports_text(host);
    const auto same = std::find_if(alike.begin(), alike.end(), [&](const auto& one) { return one.first == ports; });
    if (same == alike.end()) {
      alike.push_back({ports, {host.host}});
    } else {
      same->second.push_back(host.host);
    }
  }
  for (const auto& [ports, names] : alike)
    path.remarks.push_back(fmt::format("Expected: between hosts the data passes {} of {}", ports, names_of(names)));
  if (!silent.empty()) {
    path.remarks.push_back("Expected: no ceiling, since no network card's counters show the data on " +
                           names_of(silent));
  } else if (!unrated.empty()) {
    path.remarks.push_back("Expected: no ceiling, since the kernel knows no rate of " + names_of(unrated));
  } else {
    add_formula(path, "host's cards", kind);
    path.stages.push_back(stage);
  }
}

std::string to_text(const std::vector<RankGpu>& gpus) {
  json all = json::array();
  for (const RankGpu& gpu : gpus) {
    all.push_back({gpu.name, gpu.links.uuid, gpu.links.nvlinks, gpu.links.nvlink_bandwidth, gpu.links.pcie_generation,
                   gpu.links.pcie_width});
  }
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<RankGpu> rank_gpus_from(const std::string& text) {
  std::vector<RankGpu> gpus;
  for (const json& gpu : json::parse(text))
    gpus.push_back({gpu.at(0), {gpu.at(1), gpu.at(2), gpu.at(3), gpu.at(4), gpu.at(5)}});
  return gpus;
}

void add_gpus(Path& path, const std::vector<RankGpu>& gpus, const std::vector<std::string>& transports,
              CollectiveKind kind) {
  if (const std::string why = why_no_ceiling(transports); !why.empty()) {
    path.remarks.push_back("Expected: no ceiling, since " + why);
    return;
  }
  const bool nvlinks = !any_begins(transports, "SHM") &&
                       std::all_of(gpus.begin(), gpus.end(), [](const RankGpu& gpu) { return gpu.links.nvlinks > 0; });
  Stage stage;
  stage.ports = nvlinks ? "NVLinks" : "PCIe links";
  for (std::size_t rank = 0; rank < gpus.size(); ++rank) {
    const GpuLinks& links = gpus[rank].links;
    stage.node_of_rank.push_back(static_cast<int>(rank));
    stage.node_bandwidth.push_back(nvlinks ? links.nvlinks * links.nvlink_bandwidth : pcie_bandwidth(links));
    if (stage.node_bandwidth.back() > 0) continue;
    path.remarks.push_back(fmt::format("Expected: no ceiling, since the driver knows no rate of the {} of {}",
                                       stage.ports, gpus[rank].name));
    return;
  }
  const GpuLinks& first = gpus.front().links;
  const std::string ports = nvlinks
                                ? fmt::format("{} NVLinks of {:.2f} GB/s", first.nvlinks, first.nvlink_bandwidth / 1e9)
                                : fmt::format("PCIe {}.0 x{}", first.pcie_generation, first.pcie_width);
  path.remarks.push_back(fmt::format("Expected: between GPUs the data passes {} (NCCL: {}), {:.1f} GB/s each way a GPU",
                                     ports, join_text(transports, ", "), stage.node_bandwidth.front() / 1e9));
  add_formula(path, "GPU's links", kind);
  path.stages.push_back(stage);
}

}  // namespace ringrun::worker
