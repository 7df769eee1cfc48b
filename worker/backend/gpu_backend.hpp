#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "worker/sweep/collective.hpp"

namespace ringrun::worker {

/// A GPU that this process may use, in the order of the CUDA Runtime (CUDA_VISIBLE_DEVICES applied).
struct GpuDevice {
  int index = 0;
  std::string uuid;    ///< "GPU-…", the same on every process that sees the same card
  std::string bus_id;  ///< "0000:00:06"
  std::string name;
};

/// Everything of CUDA and NCCL that the worker uses. It stands in a shared object of its own, loaded at run time.
/// Its calls throw CudaError and NcclError.
class GpuBackend {
 public:
  virtual ~GpuBackend() = default;

  /// NCCL's version numbers: of the header it was built with and of the library that is loaded ("22809").
  virtual int header_version() const = 0;
  virtual int library_version() const = 0;

  virtual std::vector<GpuDevice> visible_devices() const = 0;

  /// The bytes that process 0 makes and every process gets.
  virtual std::string make_unique_id() const = 0;

  struct Placement {
    int ranks = 1;             ///< of all processes
    int first_rank = 0;        ///< this process has first_rank, first_rank + 1, …
    std::vector<int> devices;  ///< one for each of its ranks
  };
  /// Joins the communicator and takes two buffers of `max_bytes` on each device. Returns when all ranks have joined.
  virtual std::unique_ptr<Collective> join(const std::string& unique_id, const Placement& placement,
                                           std::size_t max_bytes) const = 0;
};

}  // namespace ringrun::worker

/// The one symbol of the shared object.
extern "C" const ringrun::worker::GpuBackend* ringrun_gpu_backend();
