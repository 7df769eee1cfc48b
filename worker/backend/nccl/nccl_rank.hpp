#pragma once

#include <cstddef>
#include <vector>

#include "worker/backend/gpu_backend.hpp"
#include "worker/backend/nccl/handles.hpp"
#include "worker/sweep/operation.hpp"

namespace ringrun::worker {

/// One rank of this process. The order of the members is the order of their making: the communicator goes first.
struct NcclRank {
  /// Takes the buffers and the stream. The device stays selected.
  NcclRank(int rank, int device, const GpuBackend::Settings& settings);

  void select() const;
  std::byte* input(const Operation& operation) const;
  std::byte* output(const Operation& operation) const;

  int rank;
  int device;
  int misalignment;
  NcclMemory send;
  NcclMemory receive;
  DeviceMemory scratch;  ///< for the comparison of results
  Stream stream;         ///< null: CUDA's null stream
  Communicator communicator;
};

/// Lets the ranks join, in one group of NCCL.
void join_ranks(const std::vector<NcclRank*>& ranks, const ncclUniqueId& id, int ranks_of_all, int cta_policy);

/// The registrations of the ranks' buffers; -R of the worker. Windows are registered by all ranks at once.
class NcclRegistrations {
 public:
  NcclRegistrations() = default;
  NcclRegistrations(const std::vector<NcclRank*>& ranks, int registration, std::size_t bytes);
  /// On success only: it is collective for windows.
  void release();

 private:
  struct Registered {
    const NcclRank* rank;
    void* handle;
  };
  int registration_ = 0;
  std::vector<Registered> registered_;
};

}  // namespace ringrun::worker
