#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "worker/backend/gpu_backend.hpp"
#include "worker/backend/nccl/elements.hpp"
#include "worker/backend/nccl/nccl_lane.hpp"
#include "worker/backend/nccl/nccl_log.hpp"
#include "worker/backend/nccl/nccl_rank.hpp"

namespace ringrun::worker {

/// NCCL's operations on the GPUs of this process, one rank for each, driven by one thread or several.
class NcclCollective : public Collective {
 public:
  /// Collective over all processes: returns when every rank has joined.
  NcclCollective(const ncclUniqueId& id, const GpuBackend::Placement& placement, const GpuBackend::Settings& settings,
                 NcclLog& log);

  int ranks() const override { return ranks_; }
  std::optional<std::string> refusal(const Operation& operation) const override;
  RunTimes run(const Operation& operation, const RunPlan& plan) override;
  std::vector<WrongElements> verify(const Operation& operation, std::uint32_t seed) override;
  LibraryChoice observe(const Operation& operation) override;
  std::vector<std::string> transports() override { return log_.read_transports(); }
  MemoryReport memory() const override;
  void finish() override;

 private:
  std::vector<NcclRank*> ranks_of_lane(std::size_t lane);
  /// Calls `work` with the number of each lane, on a thread for each but the first, which stays on this one. `work`
  /// gets a function that waits for the others. Throws what the first one that failed threw.
  using Meet = std::function<void()>;
  void on_each_lane(const std::function<void(std::size_t, const Meet&)>& work);
  void fill(const NcclRank& here, const Operation& operation, const Pattern& pattern, std::size_t offset) const;
  WrongElements compare(const NcclRank& here, const Operation& operation, const Pattern& pattern,
                        std::size_t offset) const;
  double taken() const;

  GpuBackend::Settings settings_;
  NcclLog& log_;
  int ranks_;
  std::vector<NcclRank> here_;
  std::atomic<bool> abandoned_{false};
  std::vector<NcclLane> lanes_;
  NcclRegistrations registrations_;
  double taken_before_ = 0;
  double taken_for_buffers_ = 0;
  double taken_with_communicators_ = 0;
};

}  // namespace ringrun::worker
