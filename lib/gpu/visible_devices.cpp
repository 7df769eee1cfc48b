#include <algorithm>
#include <charconv>

#include "lib/gpu/gpu.hpp"

namespace ringrun {
namespace {

const Gpu* find_gpu(const std::vector<Gpu>& all, std::string_view entry) {
  const Gpu* found = nullptr;
  int index = -1;
  const auto [end, code] = std::from_chars(entry.data(), entry.data() + entry.size(), index);
  const bool number = code == std::errc{} && end == entry.data() + entry.size();
  for (const Gpu& gpu : all) {
    const bool match =
        number ? gpu.index == index : entry.size() > 4 && entry.substr(0, 4) == "GPU-" && gpu.uuid.rfind(entry, 0) == 0;
    if (!match) continue;
    if (found != nullptr) return nullptr;
    found = &gpu;
  }
  return found;
}

}  // namespace

std::vector<Gpu> visible_gpus(const std::vector<Gpu>& all, const std::optional<std::string>& visible_devices) {
  if (!visible_devices) return all;
  std::vector<Gpu> visible;
  std::string_view rest = *visible_devices;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view entry = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (!entry.empty() && entry.front() == ' ') entry.remove_prefix(1);
    while (!entry.empty() && entry.back() == ' ') entry.remove_suffix(1);
    const Gpu* gpu = find_gpu(all, entry);
    const auto same = [&](const Gpu& other) { return gpu != nullptr && other.index == gpu->index; };
    if (gpu == nullptr) break;
    // CUDA refuses the whole list where a device stands in it twice.
    if (std::any_of(visible.begin(), visible.end(), same)) return {};
    visible.push_back(*gpu);
  }
  return visible;
}

}  // namespace ringrun
