#pragma once

#include <vector>

#include "worker/backend/gpu_backend.hpp"
#include "worker/backend/nccl/elements.hpp"
#include "worker/backend/nccl/handles.hpp"
#include "worker/backend/nccl/nccl_calls.hpp"
#include "worker/backend/nccl/nccl_element.hpp"

namespace ringrun::worker {

/// NCCL's operations on the GPUs of this process, one rank for each.
class NcclCollective : public Collective {
 public:
  /// Collective over all processes: returns when every rank has joined.
  NcclCollective(const ncclUniqueId& id, const GpuBackend::Placement& placement, std::size_t max_bytes);
  ~NcclCollective() override;

  int ranks() const override { return ranks_; }
  std::optional<std::string> refusal(const Operation& operation) const override;
  void run(const Operation& operation, int iterations, int aggregate) override;
  std::vector<WrongElements> verify(const Operation& operation, std::uint32_t seed) override;
  void finish() override;

 private:
  /// One rank of this process. The order of the members is the order of their making: the communicator goes first.
  struct Rank {
    int rank = 0;
    int device = 0;
    DeviceMemory send;
    DeviceMemory receive;
    DeviceMemory scratch;
    Stream stream;
    Communicator communicator;
  };

  /// What stays the same from one iteration to the next.
  struct Prepared {
    NcclReduction reduction;
    NcclCall call;
    int device;
  };

  std::vector<Prepared> prepare(const Operation& operation) const;
  void enqueue(const Operation& operation, const std::vector<Prepared>& calls, std::size_t offset);
  void enqueue_hypercube(const Operation& operation, const std::vector<Prepared>& calls, std::size_t offset);
  /// In a group where the process has several ranks. `offset` in bytes is added to both places.
  template <typename Work>
  void for_each(const std::vector<Prepared>& calls, std::size_t offset, Work work) const;
  void* input(const Rank& rank, const Operation& operation) const;
  void* output(const Rank& rank, const Operation& operation) const;
  void wait() const;
  WrongElements compare(const Rank& here, const Operation& operation, const Pattern& pattern) const;
  void select(const Rank& rank) const;

  int ranks_;
  std::size_t max_bytes_;
  std::vector<Rank> here_;
};

}  // namespace ringrun::worker
