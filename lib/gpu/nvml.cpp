#include <algorithm>
#include <utility>

#include "lib/gpu/gpu.hpp"
#include "lib/gpu/nvml_library.hpp"
#include "lib/topology/machine.hpp"

namespace ringrun {
namespace {

std::string compute_mode_name(int mode) {
  // 1, exclusive to a thread, is gone since CUDA 8 and means the same as 3 now.
  if (mode == 1 || mode == 3) return "exclusive process";
  return mode == 2 ? "prohibited" : mode == 0 ? "default" : "";
}

std::vector<std::string> throttle_names(unsigned long long reasons) {
  // Bit 0 is idleness, bits 1 and 8 are clocks that somebody asked for.
  constexpr std::pair<unsigned long long, const char*> kReasons[] = {
      {0x4, "power cap"},         {0x8, "hardware slowdown"},          {0x10, "sync boost"},
      {0x20, "software thermal"}, {0x40, "hardware thermal slowdown"}, {0x80, "hardware power brake"},
  };
  std::vector<std::string> names;
  for (const auto& [bit, name] : kReasons) {
    if ((reasons & bit) != 0) names.emplace_back(name);
  }
  return names;
}

/// 0 where the driver does not say.
int number(int (*function)(NvmlDevice, unsigned*), NvmlDevice device) {
  unsigned value = 0;
  return function != nullptr && function(device, &value) == 0 ? static_cast<int>(value) : 0;
}

std::vector<MigDevice> read_mig_devices(const NvmlLibrary& nvml, NvmlDevice device) {
  std::vector<MigDevice> found;
  const auto most = static_cast<unsigned>(number(nvml.mig_count, device));
  for (unsigned i = 0; nvml.mig_by_index != nullptr && i < most; ++i) {
    // Not every place is taken.
    NvmlDevice part = nullptr;
    char uuid[96] = "";
    if (nvml.mig_by_index(device, i, &part) != 0 || nvml.uuid(part, uuid, sizeof uuid) != 0) continue;
    found.push_back({uuid, number(nvml.gpu_instance, part), number(nvml.compute_instance, part)});
  }
  return found;
}

void read_condition(const NvmlLibrary& nvml, NvmlDevice device, bool thorough, Gpu& gpu) {
  int mode = -1;
  if (nvml.compute_mode != nullptr && nvml.compute_mode(device, &mode) == 0) gpu.compute_mode = compute_mode_name(mode);
  unsigned mig = 0;
  unsigned pending = 0;
  gpu.mig = nvml.mig_mode != nullptr && nvml.mig_mode(device, &mig, &pending) == 0 && mig != 0;
  if (gpu.mig) gpu.mig_devices = read_mig_devices(nvml, device);
  gpu.pcie_generation = number(nvml.pcie_generation, device);
  gpu.pcie_generation_max = number(nvml.pcie_generation_max, device);
  gpu.pcie_width = number(nvml.pcie_width, device);
  gpu.pcie_width_max = number(nvml.pcie_width_max, device);
  unsigned long long reasons = 0;
  if (thorough && nvml.throttle_reasons != nullptr && nvml.throttle_reasons(device, &reasons) == 0) {
    gpu.throttle = throttle_names(reasons);
  }
}

void read_driver(const NvmlLibrary& nvml, GpuList& list) {
  char driver[96] = "";
  if (nvml.driver_version != nullptr && nvml.driver_version(driver, sizeof driver) == 0) list.driver = driver;
  int cuda = 0;
  if (nvml.cuda_version != nullptr && nvml.cuda_version(&cuda) == 0) list.driver_cuda = cuda;
}

void read_gpus(const NvmlLibrary& nvml, bool thorough, GpuList& list) {
  unsigned count = 0;
  if (const int code = nvml.count(&count); code != 0) {
    list.error = std::string("nvmlDeviceGetCount: ") + nvml.error(code);
  }
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice device = nullptr;
    NvmlPciInfo pci{};
    char name[96] = "";
    char uuid[96] = "";
    int code = nvml.by_index(i, &device);
    if (code == 0) code = nvml.pci(device, &pci);
    if (code == 0) code = nvml.uuid(device, uuid, sizeof uuid);
    if (code == 0) code = nvml.name(device, name, sizeof name);
    if (code != 0) {
      list.error = "GPU " + std::to_string(i) + ": " + nvml.error(code);
      continue;
    }
    Gpu gpu;
    gpu.bus_id = normal_bus_id(pci.bus_id);
    gpu.uuid = uuid;
    gpu.name = name;
    read_condition(nvml, device, thorough, gpu);
    list.gpus.push_back(std::move(gpu));
  }
}

}  // namespace

GpuList read_nvml_gpus(bool thorough) {
  GpuList list;
  const NvmlLibrary nvml;
  if (!nvml.found()) {
    list.note = "no NVIDIA driver: libnvidia-ml.so.1 was not found";
    return list;
  }
  if (!nvml.complete()) {
    list.note = list.error = "libnvidia-ml.so.1 is too old: it lacks functions of driver 418";
    return list;
  }
  if (const int code = nvml.init(); code != 0) {
    list.note = list.error = std::string("nvmlInit: ") + nvml.error(code);
    return list;
  }
  read_driver(nvml, list);
  read_gpus(nvml, thorough, list);
  nvml.shutdown();
  std::sort(list.gpus.begin(), list.gpus.end(),
            [](const Gpu& a, const Gpu& b) { return is_lower_bus_id(a.bus_id, b.bus_id); });
  for (std::size_t i = 0; i < list.gpus.size(); ++i) list.gpus[i].index = static_cast<int>(i);
  list.note = list.error;
  if (list.gpus.empty() && list.note.empty()) list.note = "the NVIDIA driver shows no GPU";
  return list;
}

}  // namespace ringrun
