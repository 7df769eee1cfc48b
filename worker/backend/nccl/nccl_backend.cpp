#include <array>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "lib/nccl/check.hpp"
#include "worker/backend/gpu_backend.hpp"
#include "worker/backend/nccl/nccl_collective.hpp"
#include "worker/backend/nccl/nccl_log.hpp"
#include "worker/backend/nccl/nccl_observer.hpp"

namespace ringrun::worker {
namespace {

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    std::array<char, 3> hex{};
    std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += hex.data();
  }
  return text;
}

class NcclBackend : public GpuBackend {
 public:
  int header_version() const override { return NCCL_VERSION_CODE; }

  int library_version() const override {
    int version = 0;
    check_nccl(ncclGetVersion(&version), "ncclGetVersion");
    return version;
  }

  std::vector<GpuDevice> visible_devices() const override {
    int count = 0;
    const cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaErrorNoDevice) return {};
    check_cuda(code, "cudaGetDeviceCount");
    std::vector<GpuDevice> devices;
    for (int index = 0; index < count; ++index) {
      cudaDeviceProp properties{};
      check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
      std::array<char, 16> bus_id{};
      std::snprintf(bus_id.data(), bus_id.size(), "%04x:%02x:%02x", static_cast<unsigned>(properties.pciDomainID),
                    static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
      devices.push_back({index, uuid_text(properties.uuid), bus_id.data(), properties.name});
    }
    return devices;
  }

  void listen() const override {
    become_profiler();
    log_.open();
  }

  std::string make_unique_id() const override {
    ncclUniqueId id;
    check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
    return std::string(id.internal, sizeof id.internal);
  }

  std::unique_ptr<Collective> join(const std::string& unique_id, const Placement& placement,
                                   const Settings& settings) const override {
    ncclUniqueId id;
    if (unique_id.size() != sizeof id.internal) throw std::invalid_argument("join: not an NCCL id");
    std::memcpy(id.internal, unique_id.data(), sizeof id.internal);
    try {
      auto collective = std::make_unique<NcclCollective>(id, placement, settings, log_);
      log_.remove_name();
      return collective;
    } catch (...) {
      log_.remove_name();
      log_.read_transports();  // and pass NCCL's warnings on
      throw;
    }
  }

 private:
  mutable NcclLog log_;  ///< as NCCL's own, one for the process
};

}  // namespace
}  // namespace ringrun::worker

extern "C" const ringrun::worker::GpuBackend* ringrun_gpu_backend() {
  static const ringrun::worker::NcclBackend backend;
  return &backend;
}
