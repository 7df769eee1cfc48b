#include "worker/backend/gpu_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "lib/nccl/error.hpp"

namespace ringrun::worker {
namespace {

namespace fs = std::filesystem;

constexpr int kInsufficientDriver = 35;  // cudaErrorInsufficientDriver; this file is built without CUDA

/// Also false where CUDA_VISIBLE_DEVICES hides every card: then their owner wants none.
bool host_offers_gpu(const char* visible_devices) {
  std::error_code ignored;
  if (visible_devices != nullptr && *visible_devices == '\0') return false;
  return fs::exists("/dev/nvidia0", ignored) || fs::exists("/dev/nvidia1", ignored) || fs::exists("/dev/dxg", ignored);
}

}  // namespace

std::string GpuLibrary::versions() const {
  return "nccl-headers=" + std::to_string(backend->header_version()) +
         " nccl-library=" + std::to_string(backend->library_version());
}

GpuLibrary load_gpu_library() {
  GpuLibrary library;
  const char* visible_devices = std::getenv("CUDA_VISIBLE_DEVICES");
  library.host_has_gpu = host_offers_gpu(visible_devices);
  std::error_code error;
  const fs::path file = fs::read_symlink("/proc/self/exe", error).parent_path() / "libringrun_nccl.so";
  if (!fs::exists(file, error)) {
    library.why_not = "this worker was built without the NCCL backend";
    return library;
  }
  // Never closed: its threads live as long as the process.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    library.why_not = dlerror();
    return library;
  }
  using Entry = const GpuBackend* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(handle, "ringrun_gpu_backend"));
  if (entry == nullptr) {
    library.why_not = dlerror();
    return library;
  }
  library.backend = entry();
  try {
    library.devices = library.backend->visible_devices();
    if (library.devices.empty()) {
      library.why_not = visible_devices == nullptr
                            ? "CUDA sees no GPU"
                            : "CUDA_VISIBLE_DEVICES='" + std::string(visible_devices) + "' shows no GPU";
    }
  } catch (const CudaError& failure) {
    // CUDA calls an absent driver one that is too old.
    const bool no_driver = failure.code() == kInsufficientDriver && !library.host_has_gpu;
    library.why_not = no_driver ? "no NVIDIA driver" : failure.what();
  }
  return library;
}

}  // namespace ringrun::worker
