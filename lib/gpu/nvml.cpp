#include <dlfcn.h>

#include <algorithm>

#include "lib/gpu/gpu.hpp"
#include "lib/topology/machine.hpp"
#include "lib/unique_handle.hpp"

namespace ringrun {
namespace {

// NVML's ABI of these six functions has not changed since driver 418; its header is not needed to build.
struct NvmlPciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
using NvmlDevice = void*;

struct LibraryTraits {
  using Handle = void*;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle library) noexcept { dlclose(library); }
};

class Nvml {
 public:
  Nvml() {
    // WSL2 keeps the Windows driver's libraries outside the loader's path.
    for (const char* file : {"libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1"}) {
      if (!library_) library_ = UniqueHandle<LibraryTraits>(dlopen(file, RTLD_NOW | RTLD_LOCAL));
    }
    if (!library_) return;
    load(init, "nvmlInit_v2");
    load(shutdown, "nvmlShutdown");
    load(count, "nvmlDeviceGetCount_v2");
    load(by_index, "nvmlDeviceGetHandleByIndex_v2");
    load(name, "nvmlDeviceGetName");
    load(uuid, "nvmlDeviceGetUUID");
    load(pci, "nvmlDeviceGetPciInfo_v3");
    load(error, "nvmlErrorString");
  }

  bool found() const { return static_cast<bool>(library_); }
  bool complete() const { return found() && !missing_; }

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, NvmlDevice*) = nullptr;
  int (*name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*pci)(NvmlDevice, NvmlPciInfo*) = nullptr;
  const char* (*error)(int) = nullptr;

 private:
  template <typename Function>
  void load(Function& function, const char* symbol) {
    function = reinterpret_cast<Function>(dlsym(library_.get(), symbol));
    missing_ = missing_ || function == nullptr;
  }

  UniqueHandle<LibraryTraits> library_;
  bool missing_ = false;
};

}  // namespace

GpuList read_nvml_gpus() {
  const Nvml nvml;
  if (!nvml.found()) return {{}, "no NVIDIA driver: libnvidia-ml.so.1 was not found"};
  if (!nvml.complete()) return {{}, "libnvidia-ml.so.1 is too old: it lacks functions of driver 418"};
  if (const int code = nvml.init(); code != 0) return {{}, std::string("nvmlInit: ") + nvml.error(code)};
  GpuList list;
  unsigned count = 0;
  if (const int code = nvml.count(&count); code != 0)
    list.note = std::string("nvmlDeviceGetCount: ") + nvml.error(code);
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
      list.note = "GPU " + std::to_string(i) + ": " + nvml.error(code);
      continue;
    }
    list.gpus.push_back({0, normal_bus_id(pci.bus_id), uuid, name});
  }
  nvml.shutdown();
  std::sort(list.gpus.begin(), list.gpus.end(), [](const Gpu& a, const Gpu& b) { return a.bus_id < b.bus_id; });
  for (std::size_t i = 0; i < list.gpus.size(); ++i) list.gpus[i].index = static_cast<int>(i);
  if (list.gpus.empty() && list.note.empty()) list.note = "the NVIDIA driver shows no GPU";
  return list;
}

}  // namespace ringrun
