#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// One GPU. `index` counts all GPUs of the host in the order of their PCI bus ids, as nvidia-smi does and as CUDA does
/// with CUDA_DEVICE_ORDER=PCI_BUS_ID; `bus_id` is "0000:4e:00.0".
struct Gpu {
  int index = 0;
  std::string bus_id;
  std::string uuid;
  std::string name;
};

/// `note` says why there are none, in the driver's own words where it answered.
struct GpuList {
  std::vector<Gpu> gpus;
  std::string note;
};

/// All GPUs that the driver's management library names. Never throws: a host without a driver has none.
GpuList read_nvml_gpus();

/// The GPUs that CUDA would show for this value of CUDA_VISIBLE_DEVICES, in its order: indices, or beginnings of UUIDs;
/// the list ends at the first entry that names no GPU, as CUDA's does. Unset: all of them.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& all, const std::optional<std::string>& visible_devices);

}  // namespace ringrun
