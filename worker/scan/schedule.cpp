#include "worker/scan/schedule.hpp"

#include <algorithm>

namespace ringrun::worker {
namespace {

/// By the circle: one stays, the others move on by one place in each round, and those face to face are a pair. An odd
/// number has a place that nobody takes, whose opposite rests.
std::vector<Round> tournament(int players) {
  const int places = players + players % 2;
  std::vector<Round> rounds;
  for (int turn = 0; turn + 1 < places; ++turn) {
    const auto at = [&](int place) { return place == 0 ? 0 : 1 + (place - 1 + turn) % (places - 1); };
    Round round;
    for (int place = 0; place < places / 2; ++place) {
      const auto [low, high] = std::minmax({at(place), at(places - 1 - place)});
      if (high < players) round.emplace_back(low, high);
    }
    rounds.push_back(round);
  }
  return rounds;
}

/// The first of each list side by side, then the second of each, until all are done.
void add_side_by_side(const std::vector<std::vector<NodePair>>& lists, std::vector<Round>& rounds) {
  for (std::size_t i = 0;; ++i) {
    Round round;
    for (const auto& list : lists) {
      if (i < list.size()) round.push_back(list[i]);
    }
    if (round.empty()) return;
    rounds.push_back(round);
  }
}

}  // namespace

std::vector<Round> pair_rounds(const std::vector<int>& host_of_node) {
  std::vector<std::vector<int>> nodes_of_host;
  for (std::size_t node = 0; node < host_of_node.size(); ++node) {
    const auto host = static_cast<std::size_t>(host_of_node[node]);
    if (host >= nodes_of_host.size()) nodes_of_host.resize(host + 1);
    nodes_of_host[host].push_back(static_cast<int>(node));
  }
  std::vector<Round> rounds;
  for (const Round& hosts : tournament(static_cast<int>(nodes_of_host.size()))) {
    std::vector<std::vector<NodePair>> lists;
    for (const auto& [one, other] : hosts) {
      lists.emplace_back();
      for (int a : nodes_of_host[static_cast<std::size_t>(one)])
        for (int b : nodes_of_host[static_cast<std::size_t>(other)]) lists.back().push_back(std::minmax(a, b));
    }
    add_side_by_side(lists, rounds);
  }
  std::vector<std::vector<NodePair>> within;
  for (const auto& nodes : nodes_of_host) {
    within.emplace_back();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = i + 1; j < nodes.size(); ++j) within.back().emplace_back(nodes[i], nodes[j]);
  }
  add_side_by_side(within, rounds);
  return rounds;
}

}  // namespace ringrun::worker
