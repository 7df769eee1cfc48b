#pragma once

#include <vector>

#include "worker/backend/gpu_backend.hpp"
#include "worker/backend/nccl/elements.hpp"
#include "worker/backend/nccl/handles.hpp"

namespace ringrun::worker {

/// ncclAllReduce on the GPUs of this process, one rank for each.
class NcclCollective : public Collective {
 public:
  /// Collective over all processes: returns when every rank has joined.
  NcclCollective(const ncclUniqueId& id, const GpuBackend::Placement& placement, std::size_t max_bytes);
  ~NcclCollective() override;

  int ranks() const override { return ranks_; }
  std::optional<std::string> refusal(DataType, ReduceOp) const override { return std::nullopt; }
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

  void enqueue(const Operation& operation, std::size_t offset);
  void wait() const;
  WrongElements compare(const Rank& here, const Operation& operation, const Pattern& pattern) const;
  void select(const Rank& rank) const;

  int ranks_;
  std::size_t max_bytes_;
  std::vector<Rank> here_;
};

}  // namespace ringrun::worker
