#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "worker/sweep/sweep.hpp"

namespace ringrun::worker {

/// One process; what the others would say is fixed.
class LoneTeam : public Team {
 public:
  int process() const override { return own.process; }
  int processes() const override { return own.processes; }
  int group() const override { return 0; }
  int groups() const override { return others.empty() ? 1 : 2; }
  int group_process() const override { return own.group_process; }
  int group_processes() const override { return own.group_processes; }
  bool leads_group() const override { return true; }
  void barrier() override { ++barriers; }
  double combine(double seconds, TimeAcross how) override {
    combined_how = how;
    return seconds;
  }
  std::uint64_t sum(std::uint64_t value) override { return value; }
  std::vector<double> largest(const std::vector<double>& values) override {
    std::vector<double> all = values;
    for (double& value : all) value = std::max(value, largest_of_others);
    return all;
  }
  std::vector<std::vector<double>> gather_at_first(const std::vector<double>& values) override {
    std::vector<std::vector<double>> all{values};
    all.insert(all.end(), values_of_others.begin(), values_of_others.end());
    return all;
  }
  ClockOffset clock_offset() override { return {}; }
  std::vector<std::string> gather(const std::string& text) override { return {text}; }
  std::vector<std::string> gather_from_all(const std::string& text) override {
    std::vector<std::string> texts{text};
    texts.insert(texts.end(), others.begin(), others.end());
    return texts;
  }
  std::string broadcast(const std::string& bytes) override { return bytes; }

  struct Place {
    int process = 0;
    int processes = 1;
    int group_process = 0;
    int group_processes = 1;
  };
  Place own;
  std::vector<std::string> others;  ///< rows of other groups' first processes
  std::vector<std::vector<double>> values_of_others;
  int barriers = 0;
  double largest_of_others = std::numeric_limits<double>::lowest();
  TimeAcross combined_how = TimeAcross::kRankZero;
};

/// Records what it is asked to do; finds `wrong_at` wrong in every in-place check of that many bytes.
class RecordingCollective : public Collective {
 public:
  int ranks() const override { return 4; }
  std::optional<std::string> refusal(const Operation&) const override { return std::nullopt; }
  RunTimes run(const Operation& operation, const RunPlan& plan) override {
    operations[operation.bytes()] += plan.iterations * plan.aggregate;
    last_plan = plan;
    if (plan.iterations > 1) std::this_thread::sleep_for(timed_run_lasts);
    const double took = plan.operations() * 1e-6;
    std::vector<RankSpans> spans;
    for (int rank = 0; plan.spans && rank < 2; ++rank) {
      spans.push_back({first_rank + rank, {}, {}});
      for (int i = 0; i < plan.iterations; ++i) {
        spans.back().begin.push_back(i * 1e-3 + rank * 5e-6);
        spans.back().end.push_back(i * 1e-3 + 25e-6);
      }
    }
    std::optional<std::vector<WrongElements>> wrong;
    if (plan.checked_with) {
      EXPECT_TRUE(seeds.insert(*plan.checked_with).second) << "a check repeated earlier data";
      wrong = {{3, operation.bytes() == wrong_in_timed && !operation.in_place ? 1u : 0u, 4, "1", "2", 9}};
    }
    return {{took, 3 * took}, {took / 2, took / 2}, iteration_times, spans, wrong};
  }
  std::vector<WrongElements> verify(const Operation& operation, std::uint32_t seed) override {
    roots.push_back(operation.root);
    EXPECT_TRUE(seeds.insert(seed).second) << "a check repeated earlier data";
    if (operation.bytes() != wrong_at || !operation.in_place) return {{2, 0, 0, "", ""}};
    return {{2, 1, 5, "7", "8"}};
  }
  MemoryReport memory() const override { return {}; }
  void finish() override {}

  RunPlan last_plan;
  std::chrono::milliseconds timed_run_lasts{0};
  std::vector<double> iteration_times;
  int first_rank = 0;  ///< of those that have spans
  std::size_t wrong_at = 0;
  std::size_t wrong_in_timed = 0;
  std::map<std::size_t, int> operations;
  std::set<std::uint32_t> seeds;
  std::vector<int> roots;
};

class SweepTest : public testing::Test {
 protected:
  std::vector<Row> sweep() {
    std::vector<Row> rows;
    summary = run_sweep(plan, collective, team, watch, seed, [&](const Row& row) { rows.push_back(row); });
    return rows;
  }

  SweepPlan plan{CollectiveKind::kAllReduce, {64, 128}, {DataType::kFloat}, {ReduceOp::kSum}};
  RecordingCollective collective;
  LoneTeam team;
  Watch watch{{[](const WatchedPhase&) {}, [] {}, [](const WatchedPhase&, Watch&) {}}};
  std::uint32_t seed = 0;
  SweepSummary summary;
};

}  // namespace ringrun::worker
