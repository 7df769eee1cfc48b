#include <algorithm>

#include "lib/host/host_facts.hpp"
#include "lib/host/visible_devices_note.hpp"

namespace ringrun {

void take_visible_gpus(const std::vector<Gpu>& all, const std::vector<std::optional<std::string>>& devices,
                       HostFacts& facts) {
  facts.gpus = visible_gpus(all, devices.front());
  const bool differ =
      std::any_of(devices.begin(), devices.end(), [&](const auto& of) { return of != devices.front(); });
  for (std::size_t i = 1; differ && i < devices.size(); ++i) facts.more_gpus.push_back(visible_gpus(all, devices[i]));
  if (all.empty()) return;
  if (visible_gpus(all, std::nullopt).empty()) {
    facts.gpu_note = "every GPU is in MIG mode and has no MIG device";
    return;
  }
  if (devices.front()) facts.gpu_note = visible_devices_note(*devices.front(), facts.gpus);
  for (std::size_t i = 1; differ && i < devices.size() && !is_mistaken(facts.gpu_note); ++i) {
    const std::string note = devices[i] ? visible_devices_note(*devices[i], facts.more_gpus[i - 1]) : "";
    if (is_mistaken(note)) facts.gpu_note = note;
  }
}

}  // namespace ringrun
