#include "launcher/hosts/visible_devices.hpp"

namespace ringrun {

std::optional<std::string> visible_devices_of(const Host& host, const std::optional<std::string>& asked) {
  if (!host.attributes.gpus) {
    const auto own = host.attributes.environment.find(kVisibleDevices);
    return asked || own == host.attributes.environment.end() ? asked : std::optional(own->second);
  }
  std::string numbers;
  for (const int gpu : *host.attributes.gpus) numbers += (numbers.empty() ? "" : ",") + std::to_string(gpu);
  return numbers;
}

}  // namespace ringrun
