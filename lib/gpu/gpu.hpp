#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/topology/machine.hpp"

namespace ringrun {

/// A part of a GPU in MIG mode that programs use as a device of its own.
struct MigDevice {
  std::string uuid;  ///< "MIG-…"
  int gpu_instance = 0;
  int compute_instance = 0;
  bool operator==(const MigDevice&) const = default;
};

/// One GPU. `index` counts all GPUs of the host in the order of their PCI bus ids, as nvidia-smi does and as CUDA does
/// with CUDA_DEVICE_ORDER=PCI_BUS_ID; `bus_id` is "0000:4e:00.0". Numbers are 0 and texts "" where the driver does not
/// say.
struct Gpu {
  int index = 0;
  std::string bus_id;
  std::string uuid;
  std::string name;
  std::string compute_mode;  ///< "default", "exclusive process", "prohibited"
  bool mig = false;          ///< in MIG mode: programs cannot use it as a whole
  int pcie_generation = 0;   ///< now, under load: an idle card rests at a lower one
  int pcie_generation_max = 0;
  int pcie_width = 0;
  int pcie_width_max = 0;
  /// Why the clocks are held down, other than idleness; asked only where the question is thorough.
  std::vector<std::string> throttle;
  /// Of a GPU as the driver lists it. One that visible_gpus shows has none: its uuid is the MIG device's.
  std::vector<MigDevice> mig_devices;
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

/// The GPUs of a machine that is not here, from its topology.
std::vector<Gpu> gpus_of(const Machine& machine);

/// The GPUs that CUDA shows a program for this value of CUDA_VISIBLE_DEVICES, in its order. `all` are the host's, and
/// indices count them (CUDA_DEVICE_ORDER=PCI_BUS_ID, which ringrun exports). As the driver 580 does, measured:
/// - unset: all; the list ends at the first entry that names no GPU, an empty one, -1 and "NoDevFiles" among them;
/// - a number is read as strtol does, leading blanks and all, and what follows it in its entry is ignored;
/// - "GPU-" or "MIG-" and the beginning of a UUID that one GPU alone has; dashes do not count, nor the case of digits,
///   nor what follows a whole UUID; no blanks before it;
/// - numbers and UUIDs do not mix: an entry of the other kind than the first ends the list;
/// - a GPU that stands in the list twice: CUDA fails, so that there are none;
/// - "MIG-<its UUID>" and "MIG-GPU-<UUID>/<GPU instance>/<compute instance>" name a MIG device, a GPU in MIG mode its
///   first one. A program sees one MIG device alone, and then no GPU beside it (documented, not measured).
std::vector<Gpu> visible_gpus(const std::vector<Gpu>& all, const std::optional<std::string>& visible_devices);

/// The entry of CUDA_VISIBLE_DEVICES that names this GPU alone: its index, or a MIG device's UUID.
std::string visible_device(const Gpu& gpu);

}  // namespace ringrun
