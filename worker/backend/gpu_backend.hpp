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

  /// Before make_unique_id and join: lets NCCL tell how it does things, for Collective::observe and transports. Not
  /// what the user has asked it to log, or to profile, by his own settings.
  virtual void listen() const = 0;

  /// The bytes that process 0 makes and every process gets.
  virtual std::string make_unique_id() const = 0;

  struct Placement {
    int ranks = 1;             ///< of all processes
    int first_rank = 0;        ///< this process has first_rank, first_rank + 1, …
    std::vector<int> devices;  ///< one for each of its ranks
  };
  struct Settings {
    std::size_t max_bytes = 0;  ///< of each of two buffers on each device
    int misalignment = 0;       ///< elements left free at the begin of each
    int threads = 1;            ///< that share the ranks of this process evenly
    bool parallel_init = false;
    int registration = 0;  ///< of the buffers: 1 with the communicator, 2 as symmetric windows
    int cta_policy = 0;
    bool null_stream = false;
    bool checks_graphs = false;  ///< a check too is launched as a CUDA graph
  };
  /// Joins the communicator and takes the buffers. Returns when all ranks have joined. Throws Unsupported for what this
  /// object was built without.
  virtual std::unique_ptr<Collective> join(const std::string& unique_id, const Placement& placement,
                                           const Settings& settings) const = 0;
};

}  // namespace ringrun::worker

/// The one symbol of the shared object.
extern "C" const ringrun::worker::GpuBackend* ringrun_gpu_backend();
