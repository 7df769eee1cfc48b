#include "worker/placement/plan_check.hpp"

#include <gtest/gtest.h>

namespace ringrun::worker {
namespace {

/// Two ranks on host b that have what ringrun planned.
class PlanCheck : public testing::Test {
 protected:
  void SetUp() override {
    decision_.nccl = true;
    for (int rank = 0; rank < 2; ++rank) {
      ProcessFacts& facts = facts_.emplace_back();
      facts.host = "b";
      facts.devices = {{0, "GPU-0", "0000:4e:00", "NVIDIA H200"}, {1, "GPU-1", "0000:8a:00", "NVIDIA H200"}};
      facts.binding.cpus = rank == 0 ? "0-7" : "8-15";
      facts.binding.memory = {"prefer", {rank}};
      facts.binding.planned = {"job", rank, facts.binding.cpus, std::to_string(rank)};
      facts.binding.planned_bus_id = facts.devices[static_cast<std::size_t>(rank)].bus_id + ".0";
      decision_.devices.push_back({rank});
    }
  }

  std::string refusal() const {
    const auto refused = refusal_by_plan(options_, facts_, decision_);
    return refused ? refused->what() : std::string();
  }

  Options options_;
  std::vector<ProcessFacts> facts_;
  BackendDecision decision_;
};

TEST_F(PlanCheck, FindsNothingWhereEveryRankHasWhatWasPlanned) { EXPECT_EQ(refusal(), ""); }

TEST_F(PlanCheck, NamesTheRankThatATasksetInAScriptBound) {
  facts_[1].binding.cpus = "8";
  EXPECT_EQ(refusal(), "rank 1 on b has CPUs 8, and ringrun planned 8-15");
  EXPECT_NE(refusal_by_plan(options_, facts_, decision_)->remedy().find("--bind-to none"), std::string::npos);
}

TEST_F(PlanCheck, NamesTheRankWhoseMemoryIsKeptElsewhere) {
  facts_[1].binding.memory = {"bind", {0}};
  EXPECT_EQ(refusal(), "rank 1 on b has memory of NUMA nodes 0, and ringrun planned 1");
}

TEST_F(PlanCheck, NamesTheRankThatSeesAnotherGpuFirst) {
  std::swap(facts_[0].devices[0], facts_[0].devices[1]);
  EXPECT_EQ(refusal(), "rank 0 on b has GPU 0000:8a:00.0, and ringrun planned 0000:4e:00.0 (GPU 0)");
  EXPECT_NE(refusal_by_plan(options_, facts_, decision_)->remedy().find("CUDA_VISIBLE_DEVICES"), std::string::npos);
}

TEST_F(PlanCheck, MindsNoMemoryPolicyThatTheKernelRefused) {
  facts_[0].binding.memory = {"any", {}};
  EXPECT_EQ(refusal(), "");
}

TEST_F(PlanCheck, MindsNothingThatWasNotPlanned) {
  facts_[0].binding.planned.reset();
  facts_[0].binding.cpus = "3";
  facts_[1].binding.planned->cpus = "";
  facts_[1].binding.cpus = "3";
  EXPECT_EQ(refusal(), "");
}

TEST_F(PlanCheck, LeavesTheGpuToTheWorkersOwnWords) {
  std::swap(facts_[0].devices[0], facts_[0].devices[1]);
  facts_[0].first_device = 0;
  EXPECT_EQ(refusal(), "");
  facts_[0].first_device = -1;
  options_.gpus = 2;
  decision_.devices = {{0, 1}, {0, 1}};
  EXPECT_EQ(refusal(), "");
}

TEST_F(PlanCheck, AsksForNoGpuWhereTheSweepIsOfHostMemory) {
  decision_ = {};
  facts_[0].devices.clear();
  EXPECT_EQ(refusal(), "");
}

}  // namespace
}  // namespace ringrun::worker
