#pragma once

#include "lib/unique_handle.hpp"

namespace ringrun {

/// As nvml.h has it since driver 418; the header is not needed to build.
struct NvmlPciInfo {
  char bus_id_legacy[16];
  unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
  char bus_id[32];
};
using NvmlDevice = void*;

/// Likewise, of nvmlDeviceGetFieldValues.
struct NvmlFieldValue {
  unsigned field;
  unsigned scope;
  long long timestamp;
  long long latency;
  int type;
  int code;  ///< 0: `value` is one
  union {
    double floating;
    unsigned whole;
    unsigned long long wide;
  } value;
};

struct NvmlLibraryTraits {
  using Handle = void*;
  static Handle null() noexcept { return nullptr; }
  static void release(Handle library) noexcept;
};

/// The driver's management library, loaded at run time: a host without a driver has none. Every function returns 0 for
/// success, and a code that `error` puts in words otherwise.
class NvmlLibrary {
 public:
  NvmlLibrary();

  bool found() const { return static_cast<bool>(library_); }
  /// False where a function is missing that every driver since 418 has.
  bool complete() const { return found() && !missing_; }

  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, NvmlDevice*) = nullptr;
  int (*name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*pci)(NvmlDevice, NvmlPciInfo*) = nullptr;
  const char* (*error)(int) = nullptr;

  // Each of these may be absent, and then is nullptr.
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*cuda_version)(int*) = nullptr;
  int (*compute_mode)(NvmlDevice, int*) = nullptr;
  int (*mig_mode)(NvmlDevice, unsigned*, unsigned*) = nullptr;
  int (*mig_count)(NvmlDevice, unsigned*) = nullptr;
  int (*mig_by_index)(NvmlDevice, unsigned, NvmlDevice*) = nullptr;
  int (*gpu_instance)(NvmlDevice, unsigned*) = nullptr;
  int (*compute_instance)(NvmlDevice, unsigned*) = nullptr;
  int (*pcie_generation)(NvmlDevice, unsigned*) = nullptr;
  int (*pcie_generation_max)(NvmlDevice, unsigned*) = nullptr;
  int (*pcie_width)(NvmlDevice, unsigned*) = nullptr;
  int (*pcie_width_max)(NvmlDevice, unsigned*) = nullptr;
  int (*nvlink_state)(NvmlDevice, unsigned, int*) = nullptr;
  int (*field_values)(NvmlDevice, int, NvmlFieldValue*) = nullptr;
  int (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;

 private:
  template <typename Function>
  void find(Function& function, const char* symbol);
  template <typename Function>
  void need(Function& function, const char* symbol);

  UniqueHandle<NvmlLibraryTraits> library_;
  bool missing_ = false;
};

}  // namespace ringrun
