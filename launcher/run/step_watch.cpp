#include "launcher/run/step_watch.hpp"

#include <algorithm>

namespace ringrun {

int StepWatch::lost(const std::set<std::string>& connected) {
  constexpr int kLooks = 2;
  std::set<int> busy;
  for (const auto& [rank, host] : running_) busy.insert(host);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const auto& addresses = hosts_[i].addresses;
    const bool has_connection = std::any_of(addresses.begin(), addresses.end(),
                                            [&](const std::string& address) { return connected.count(address) != 0; });
    if (has_connection) seen_[i] = true;
    const bool misses = seen_[i] && !has_connection && busy.count(static_cast<int>(i)) != 0;
    missed_[i] = misses ? missed_[i] + 1 : 0;
    if (missed_[i] >= kLooks) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace ringrun
