#include "launcher/run/step_watch.hpp"

#include <algorithm>

namespace ringrun {

bool StepWatch::is_new(int host) const {
  const auto place = static_cast<std::size_t>(host);
  return host >= 0 && place < seen_.size() && !seen_[place];
}

bool StepWatch::is_connected(std::size_t host, const std::set<std::string>& connected) const {
  const auto& addresses = hosts_[host].addresses;
  return std::any_of(addresses.begin(), addresses.end(),
                     [&](const std::string& address) { return connected.count(address) != 0; });
}

void StepWatch::see(const std::set<std::string>& connected) {
  for (std::size_t i = 0; i < hosts_.size(); ++i) seen_[i] = seen_[i] || is_connected(i, connected);
}

int StepWatch::lost(const std::set<std::string>& connected) {
  constexpr int kLooks = 2;
  see(connected);
  std::set<int> busy;
  for (const auto& [rank, host] : running_) busy.insert(host);
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const bool misses = seen_[i] && busy.count(static_cast<int>(i)) != 0 && !is_connected(i, connected);
    missed_[i] = misses ? missed_[i] + 1 : 0;
    if (missed_[i] >= kLooks) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace ringrun
