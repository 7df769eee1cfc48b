#include "worker/scan/scan.hpp"

namespace ringrun::worker {
namespace {

/// The processes of these nodes are group `number`.
void join_groups(Groups& groups, const ScanNodes& nodes, int node, int number) {
  for (std::size_t process = 0; process < groups.size(); ++process) {
    if (nodes.node_of_process[process] == node) groups[process] = number;
  }
}

void scan_pairs(const ScanNodes& nodes, const MeasureRound& measure,
                const std::function<void(const ScanResult&)>& on_round, ScanResult& result) {
  for (const Round& round : pair_rounds(nodes.host_of_node)) {
    Groups groups(nodes.node_of_process.size(), kRests);
    for (const auto& [one, other] : round) {
      join_groups(groups, nodes, one, one);
      join_groups(groups, nodes, other, one);
    }
    const std::map<int, double> values = measure(groups);
    for (const auto& [one, other] : round) {
      if (const auto found = values.find(one); found != values.end()) result.pairs.add(one, other, found->second);
    }
    ++result.rounds_done;
    on_round(result);
  }
}

void leave_one_out(const ScanNodes& nodes, const MeasureRound& measure,
                   const std::function<void(const ScanResult&)>& on_round, ScanResult& result) {
  constexpr int kTogether = 0;
  Groups all(nodes.node_of_process.size(), kTogether);
  result.with_all.add(measure(all).at(kTogether));
  ++result.rounds_done;
  on_round(result);
  for (std::size_t node = 0; node < nodes.names.size(); ++node) {
    Groups others = all;
    join_groups(others, nodes, static_cast<int>(node), kRests);
    result.without[node].add(measure(others).at(kTogether));
    ++result.rounds_done;
    on_round(result);
  }
}

}  // namespace

std::optional<ScanKind> scan_from(std::string_view name) {
  if (name == "pairs" || name == "pairs:hosts") return ScanKind::kPairsOfHosts;
  if (name == "pairs:ranks") return ScanKind::kPairsOfRanks;
  if (name == "leave-one-out") return ScanKind::kLeaveOneOut;
  return std::nullopt;
}

ScanNodes scan_nodes(ScanKind kind, const std::vector<int>& leaders, const std::vector<std::string>& hosts) {
  ScanNodes nodes;
  std::map<int, int> number;  // of each host, by its leader
  for (std::size_t process = 0; process < leaders.size(); ++process) {
    const auto [host, is_new] = number.try_emplace(leaders[process], static_cast<int>(number.size()));
    if (kind == ScanKind::kPairsOfRanks) {
      nodes.names.push_back(hosts[process] + "/" + std::to_string(process));
      nodes.host_of_node.push_back(host->second);
      nodes.node_of_process.push_back(static_cast<int>(process));
      continue;
    }
    if (is_new) {
      nodes.names.push_back(hosts[process]);
      nodes.host_of_node.push_back(host->second);
    }
    nodes.node_of_process.push_back(host->second);
  }
  return nodes;
}

int rounds_of(ScanKind kind, const ScanNodes& nodes) {
  return static_cast<int>(kind == ScanKind::kLeaveOneOut ? nodes.names.size() + 1
                                                         : pair_rounds(nodes.host_of_node).size());
}

std::string refusal_of(ScanKind kind, const ScanNodes& nodes) {
  const char* const what = kind == ScanKind::kPairsOfRanks ? "rank" : "host";
  const std::size_t least = kind == ScanKind::kLeaveOneOut ? 3 : 2;
  const std::size_t count = nodes.names.size();
  if (count >= least) return "";
  return std::string("--scan ") + (kind == ScanKind::kLeaveOneOut ? "leave-one-out" : "pairs") + " needs " +
         std::to_string(least) + " " + what + "s, and this job has " + std::to_string(count);
}

ScanResult run_scan(ScanKind kind, const ScanNodes& nodes, const MeasureRound& measure,
                    const std::function<void(const ScanResult&)>& on_round) {
  ScanResult result;
  result.kind = kind;
  result.names = nodes.names;
  result.rounds = kPasses * rounds_of(kind, nodes);
  result.pairs = PairMatrix(static_cast<int>(nodes.names.size()));
  result.without.resize(nodes.names.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    if (kind == ScanKind::kLeaveOneOut) {
      leave_one_out(nodes, measure, on_round, result);
    } else {
      scan_pairs(nodes, measure, on_round, result);
    }
  }
  return result;
}

}  // namespace ringrun::worker
