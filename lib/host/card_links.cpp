#include "lib/host/card_links.hpp"

#include <algorithm>

namespace ringrun {
namespace {

template <typename Device>
const Device* named(const std::vector<Device>& devices, const std::string& name) {
  const auto found =
      std::find_if(devices.begin(), devices.end(), [&](const Device& item) { return item.name == name; });
  return found == devices.end() ? nullptr : &*found;
}

LinkState state(bool up) { return up ? LinkState::up : LinkState::down; }

}  // namespace

void take_links(const std::vector<Interface>& interfaces, const FabricFacts& fabric, Machine& machine) {
  constexpr int kMegabits = 1000;  // in a gigabit
  for (NetworkCard& card : machine.cards) {
    if (const auto* device = card.hca ? named(fabric.infiniband, card.name) : nullptr) {
      card.link = state(device->active);
      card.speed = device->rate > 0 ? device->rate * kMegabits : -1;
    } else if (const auto* interface = card.hca ? nullptr : named(interfaces, card.name)) {
      card.link = state(interface->up);
      card.speed = interface->speed;
    }
  }
}

}  // namespace ringrun
