#include "lib/placement/near_cards.hpp"

#include <algorithm>

namespace ringrun {
namespace {

CardPlace somewhere(const Machine& machine) {
  CardPlace place;
  for (const NumaNode& node : machine.numa_nodes) place.numa_nodes.push_back(node.index);
  return place;
}

std::vector<NetworkCard> candidates(const Machine& machine, bool hca, const std::vector<std::string>& names) {
  std::vector<NetworkCard> cards;
  for (const NetworkCard& card : machine.cards) {
    const bool named = names.empty() || std::find(names.begin(), names.end(), card.name) != names.end();
    if (card.hca == hca && named) cards.push_back(card);
  }
  for (const std::string& name : names) {
    const bool known = std::any_of(cards.begin(), cards.end(), [&](const auto& card) { return card.name == name; });
    if (!known) cards.push_back({name, hca, somewhere(machine)});
  }
  return cards;
}

/// Leaves those for which `rank` is least.
template <typename Rank>
void keep_least(std::vector<NetworkCard>& cards, Rank rank) {
  if (cards.empty()) return;
  const auto least = rank(
      *std::min_element(cards.begin(), cards.end(), [&](const auto& a, const auto& b) { return rank(a) < rank(b); }));
  std::erase_if(cards, [&](const NetworkCard& card) { return least < rank(card); });
}

}  // namespace

std::vector<std::string> nearest_cards(const Machine& machine, const CardPlace* gpu, bool hca,
                                       const std::vector<std::string>& names) {
  std::vector<NetworkCard> cards = candidates(machine, hca, names);
  keep_least(cards, [](const NetworkCard& card) { return card.usb ? 1 : 0; });
  if (gpu != nullptr) {
    keep_least(cards, [&](const NetworkCard& card) { return card_distance(machine, *gpu, card.place); });
  }
  keep_least(cards, [](const NetworkCard& card) { return card.link == LinkState::down ? 1 : 0; });
  keep_least(cards, [](const NetworkCard& card) { return -card.speed; });
  std::vector<std::string> nearest;
  for (const NetworkCard& card : cards) nearest.push_back(card.name);
  return nearest;
}

}  // namespace ringrun
