#include "lib/gpu/gpu_links.hpp"

#include "lib/gpu/nvml_library.hpp"

namespace ringrun {
namespace {

constexpr unsigned kMostLinks = 36;             // NVML_NVLINK_MAX_LINKS is 18 so far; beyond it NVML says "invalid"
constexpr unsigned kLinkSpeedField = 164;       // NVML_FI_DEV_NVLINK_GET_SPEED, its scope the link: MB/s
constexpr unsigned kCommonLinkSpeedField = 90;  // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON, of cards before Hopper

unsigned number(int (*function)(NvmlDevice, unsigned*), NvmlDevice device) {
  unsigned value = 0;
  return function != nullptr && function(device, &value) == 0 ? value : 0;
}

/// Bytes a second; 0 where the driver does not know the field.
double speed_field(const NvmlLibrary& nvml, NvmlDevice device, unsigned field, unsigned link) {
  NvmlFieldValue speed{};
  speed.field = field;
  speed.scope = link;
  return nvml.field_values(device, 1, &speed) == 0 && speed.code == 0 ? speed.value.whole * 1e6 : 0;
}

void read_nvlinks(const NvmlLibrary& nvml, NvmlDevice device, GpuLinks& links) {
  if (nvml.nvlink_state == nullptr || nvml.field_values == nullptr) return;
  for (unsigned link = 0; link < kMostLinks; ++link) {
    int active = 0;
    if (nvml.nvlink_state(device, link, &active) != 0 || active == 0) continue;
    if (links.nvlinks++ == 0) links.nvlink_bandwidth = speed_field(nvml, device, kLinkSpeedField, link);
  }
  if (links.nvlink_bandwidth == 0) links.nvlink_bandwidth = speed_field(nvml, device, kCommonLinkSpeedField, 0);
}

}  // namespace

std::vector<GpuLinks> read_gpu_links() {
  const NvmlLibrary nvml;
  std::vector<GpuLinks> all;
  if (!nvml.complete() || nvml.init() != 0) return all;
  unsigned count = 0;
  nvml.count(&count);
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice device = nullptr;
    char uuid[96] = "";
    if (nvml.by_index(i, &device) != 0 || nvml.uuid(device, uuid, sizeof uuid) != 0) continue;
    GpuLinks links;
    links.uuid = uuid;
    read_nvlinks(nvml, device, links);
    links.pcie_generation = static_cast<int>(number(nvml.pcie_generation_max, device));
    links.pcie_width = static_cast<int>(number(nvml.pcie_width_max, device));
    all.push_back(links);
  }
  nvml.shutdown();
  return all;
}

}  // namespace ringrun
