// The part of NVIDIA's management library that lists GPUs, for machines that have none: two cards on buses that this
// machine does not have. As libnvidia-ml.so.1 on LD_LIBRARY_PATH it is what a program finds.
#include <cstdio>
#include <cstring>

#include "lib/gpu/nvml_library.hpp"

namespace {

constexpr unsigned kGpus = 2;

std::size_t number_of(ringrun::NvmlDevice device) { return reinterpret_cast<std::size_t>(device) - 1; }

}  // namespace

extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
const char* nvmlErrorString(int) { return "no error"; }

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = kGpus;
  return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, ringrun::NvmlDevice* device) {
  *device = reinterpret_cast<ringrun::NvmlDevice>(static_cast<std::size_t>(index) + 1);
  return 0;
}

int nvmlDeviceGetName(ringrun::NvmlDevice, char* name, unsigned size) {
  std::snprintf(name, size, "NVIDIA Nothing");
  return 0;
}

int nvmlDeviceGetUUID(ringrun::NvmlDevice device, char* uuid, unsigned size) {
  std::snprintf(uuid, size, "GPU-00000000-0000-0000-0000-%012zx", number_of(device));
  return 0;
}

int nvmlDeviceGetPciInfo_v3(ringrun::NvmlDevice device, ringrun::NvmlPciInfo* pci) {
  std::memset(pci, 0, sizeof *pci);
  std::snprintf(pci->bus_id, sizeof pci->bus_id, "00000000:E%zX:00.0", number_of(device));
  return 0;
}
}
