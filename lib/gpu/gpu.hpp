#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringrun {

/// One GPU. `index` counts all GPUs of the host in the order of their PCI bus ids, as nvidia-smi does and as CUDA does
/// with CUDA_DEVICE_ORDER=PCI_BUS_ID; `bus_id` is "0000:4e:00.0". Numbers are 0 and texts "" where the driver does not
/// say.
struct Gpu {
  int index = 0;
  std::string bus_id;
  std::string uuid;
  std::string name;
  std::string compute_mode;  ///< "default", "exclusive process", "prohibited"
  bool mig = false;
  int pcie_generation = 0;  ///< now, under load: an idle card rests at a lower one
  int pcie_generation_max = 0;
  int pcie_width = 0;
  int pcie_width_max = 0;
  /// Why the clocks are held down, other than idleness; asked only where the question is thorough.
  std::vector<std::string> throttle;
  bool operator==(const Gpu&) const = default;
};

/// `note` says why there are none, in the driver's own words where it answered.
struct GpuList {
  std::vector<Gpu> gpus;
  std::string note;
  std::string driver;   ///< "580.95.05"
  int driver_cuda = 0;  ///< 13000
  std::string error;    ///< NVML's own words where the library is there and fails
};

/// All GPUs that the driver's management library names. Never throws: a host without a driver has none.
GpuList read_nvml_gpus(bool thorough = false);

/// The GPUs that CUDA would show for this value of CUDA_VISIBLE_DEVICES, in its order: indices, or beginnings of UUIDs;
/// the list ends at the first entry that names no GPU, as CUDA's does. Unset: all of them.
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& all, const std::optional<std::string>& visible_devices);

}  // namespace ringrun
