#include "lib/gpu/nvml_library.hpp"

#include <dlfcn.h>

namespace ringrun {

void NvmlLibraryTraits::release(Handle library) noexcept { dlclose(library); }

template <typename Function>
void NvmlLibrary::find(Function& function, const char* symbol) {
  if (function == nullptr) function = reinterpret_cast<Function>(dlsym(library_.get(), symbol));
}

template <typename Function>
void NvmlLibrary::need(Function& function, const char* symbol) {
  find(function, symbol);
  missing_ = missing_ || function == nullptr;
}

NvmlLibrary::NvmlLibrary() {
  // WSL2 keeps the Windows driver's libraries outside the loader's path.
  for (const char* file : {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"}) {
    if (!library_) library_ = UniqueHandle<NvmlLibraryTraits>(dlopen(file, RTLD_NOW | RTLD_LOCAL));
  }
  if (!library_) return;
  need(init, "nvmlInit_v2");
  need(shutdown, "nvmlShutdown");
  need(count, "nvmlDeviceGetCount_v2");
  need(by_index, "nvmlDeviceGetHandleByIndex_v2");
  need(name, "nvmlDeviceGetName");
  need(uuid, "nvmlDeviceGetUUID");
  need(pci, "nvmlDeviceGetPciInfo_v3");
  need(error, "nvmlErrorString");
  find(driver_version, "nvmlSystemGetDriverVersion");
  find(cuda_version, "nvmlSystemGetCudaDriverVersion_v2");
  find(cuda_version, "nvmlSystemGetCudaDriverVersion");
  find(compute_mode, "nvmlDeviceGetComputeMode");
  find(mig_mode, "nvmlDeviceGetMigMode");
  find(mig_count, "nvmlDeviceGetMaxMigDeviceCount");
  find(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex");
  find(gpu_instance, "nvmlDeviceGetGpuInstanceId");
  find(compute_instance, "nvmlDeviceGetComputeInstanceId");
  find(pcie_generation, "nvmlDeviceGetCurrPcieLinkGeneration");
  find(pcie_generation_max, "nvmlDeviceGetMaxPcieLinkGeneration");
  find(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth");
  find(pcie_width_max, "nvmlDeviceGetMaxPcieLinkWidth");
  find(nvlink_state, "nvmlDeviceGetNvLinkState");
  find(field_values, "nvmlDeviceGetFieldValues");
  // The newer name came with driver 535; the older one goes away some day.
  find(throttle_reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  find(throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
}

}  // namespace ringrun
