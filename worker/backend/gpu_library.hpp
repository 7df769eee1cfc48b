#pragma once

#include <string>

#include "worker/backend/gpu_backend.hpp"

namespace ringrun::worker {

/// The outcome of looking for GPUs from this process.
struct GpuLibrary {
  const GpuBackend* backend = nullptr;  ///< null: it could not be loaded
  std::vector<GpuDevice> devices;
  std::string why_not;        ///< where there is no backend or no device: the loader's or CUDA's own words
  bool host_has_gpu = false;  ///< the driver's device files are there and not hidden, whatever could be loaded

  /// "nccl-headers=22809 nccl-library=22809". There is a backend.
  std::string versions() const;
};

/// Loads libringrun_nccl.so from beside this program. Never throws for what a host may lack.
GpuLibrary load_gpu_library();

}  // namespace ringrun::worker
