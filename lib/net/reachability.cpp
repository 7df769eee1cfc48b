#include "lib/net/reachability.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace ringrun {
namespace {

/// Up to so many hosts every pair is tried.
constexpr int kAllPairs = 32;

/// How much an outcome says about a link, least first. Silence comes before a refusal, since a job hangs on it.
int gravity(Outcome outcome) {
  switch (outcome) {
    case Outcome::reached:
      return 0;
    case Outcome::failed:
      return 1;
    case Outcome::refused:
      return 2;
    case Outcome::no_route:
      return 3;
    case Outcome::no_host:
      return 4;
    case Outcome::dropped:
      return 5;
    case Outcome::wrong_host:
      return 6;
  }
  return 0;
}

}  // namespace

bool is_good(const Link& link) { return outcome_of(link) == Outcome::reached; }

bool was_rejected(const Link& link) {
  constexpr int kAtOnceMilliseconds = 1000;
  return std::any_of(link.attempts.begin(), link.attempts.end(), [](const Attempt& attempt) {
    return attempt.outcome == Outcome::no_host && attempt.milliseconds < kAtOnceMilliseconds;
  });
}

Outcome outcome_of(const Link& link) {
  if (link.attempts.empty()) return Outcome::dropped;
  const bool silent = std::all_of(link.attempts.begin(), link.attempts.end(), [](const Attempt& attempt) {
    return attempt.outcome == Outcome::no_host || attempt.outcome == Outcome::dropped;
  });
  if (silent && was_rejected(link)) return Outcome::no_host;
  return std::max_element(
             link.attempts.begin(), link.attempts.end(),
             [](const Attempt& one, const Attempt& other) { return gravity(one.outcome) < gravity(other.outcome); })
      ->outcome;
}

std::vector<const Link*> links_between(const ReachMatrix& matrix, int from, int to) {
  std::vector<const Link*> links;
  for (const Link& link : matrix) {
    if (link.from == from && link.to == to) links.push_back(&link);
  }
  return links;
}

std::vector<std::vector<int>> choose_partners(int hosts, unsigned seed) {
  // The same distances for every host, each forwards and backwards: so each host is tried as often as it tries, and
  // both directions of a pair are seen.
  std::set<int> distances;
  if (hosts <= kAllPairs) {
    for (int distance = 1; distance < hosts; ++distance) distances.insert(distance);
  } else {
    const auto pairs = static_cast<std::size_t>(std::ceil(std::log2(hosts) / 2));
    std::mt19937 random(seed);
    distances = {1, hosts - 1};
    while (distances.size() < 2 + 2 * pairs) {
      // Not std::uniform_int_distribution: its numbers differ between C++ libraries, and hosts must agree.
      const auto span = static_cast<unsigned>((hosts - 1) / 2 - 1);
      const int distance = 2 + static_cast<int>(random() % span);
      distances.insert({distance, hosts - distance});
    }
  }
  std::vector<std::vector<int>> partners(static_cast<std::size_t>(std::max(hosts, 0)));
  for (int host = 0; host < hosts; ++host) {
    std::vector<int>& list = partners[static_cast<std::size_t>(host)];
    for (const int distance : distances) list.push_back((host + distance) % hosts);
    std::sort(list.begin(), list.end());
  }
  return partners;
}

}  // namespace ringrun
