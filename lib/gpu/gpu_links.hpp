#pragma once

#include <string>
#include <vector>

namespace ringrun {

/// How a GPU is joined to others and to its host. Numbers are 0 where the driver does not say.
struct GpuLinks {
  std::string uuid;
  int nvlinks = 0;              ///< that are active
  double nvlink_bandwidth = 0;  ///< bytes a second of each, each way, with what its protocol takes
  int pcie_generation = 0;      ///< the highest that card and slot have together: an idle card rests at a lower one
  int pcie_width = 0;           ///< lanes, likewise
  bool operator==(const GpuLinks&) const = default;
};

/// Of all GPUs that the driver's management library names. Never throws: none without a driver.
std::vector<GpuLinks> read_gpu_links();

}  // namespace ringrun
