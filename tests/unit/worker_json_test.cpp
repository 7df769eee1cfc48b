#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lib/error.hpp"
#include "tests/unit/report_rows.hpp"
#include "worker/report/json.hpp"

namespace ringrun::worker {
namespace {

nlohmann::json report_of(const TableHead& head, const Row& row, std::optional<double> least_bandwidth) {
  const auto file = std::filesystem::temp_directory_path() / ("ringrun-report-" + std::to_string(getpid()) + ".json");
  SweepSummary summary;
  summary.add(row);
  JsonReport report(file, head);
  report.add(row);
  report.write(summary, least_bandwidth, {"partial"});
  std::ifstream in(file);
  auto read = nlohmann::json::parse(in);
  std::filesystem::remove(file);
  return read;
}

TEST(JsonReport, HoldsEveryRowInTheKeysOfNcclTests) {
  TableHead head = head_of_one_gpu();
  head.devices[0].index = 0;
  head.devices[0].bus_id = "0000:00:06";
  head.devices[0].name = "NVIDIA H200";
  head.nccl_version = 22809;
  head.command = {"all_reduce_perf", "-b", "8"};
  head.environment = {"NCCL_DEBUG=WARN"};
  const auto read = report_of(head, row_of(2, 5.5, 0.5, 2), 0.5);
  for (const char* key : {"version", "start_time", "args", "env", "nccl_version", "config", "results", "out_of_bounds",
                          "average_bus_bandwidth", "errors", "end_time", "ringrun"})
    EXPECT_TRUE(read.contains(key)) << key;
  EXPECT_EQ(read["version"], 3);
  EXPECT_EQ(read["args"][2], "8");
  EXPECT_EQ(read["env"][0], "NCCL_DEBUG=WARN");
  EXPECT_EQ(read["nccl_version"], 22809);
  EXPECT_EQ(read["config"]["minimum_bytes"], 8);
  EXPECT_EQ(read["config"]["step_factor"], 2);
  EXPECT_EQ(read["config"]["blocking_collectives"], false);
  const auto& device = read["config"]["devices"][0];
  EXPECT_EQ(device["hostname"], "vm");
  EXPECT_EQ(device["device"], 0);
  EXPECT_EQ(device["device_hex"], "0000:00:06");
  EXPECT_EQ(device["device_info"], "NVIDIA H200");
  ASSERT_EQ(read["results"].size(), 1u);
  const auto& result = read["results"][0];
  EXPECT_EQ(result["size"], 8);
  EXPECT_EQ(result["redop"], "sum");
  EXPECT_EQ(result["root"], -1);
  EXPECT_DOUBLE_EQ(result["out_of_place"]["time"], 5.5);
  EXPECT_EQ(result["in_place"]["nwrong"], 0);
  EXPECT_EQ(result["experiment_name"], "all_reduce_perf");
  EXPECT_EQ(result["actual_iterations"], 20);
  EXPECT_FALSE(result.contains("out_of_place_per_iter"));
  EXPECT_EQ(result["ringrun"]["ranks"], 2);
  EXPECT_EQ(read["errors"][0], "partial");
  EXPECT_EQ(read["out_of_bounds"]["okay"], true);
  EXPECT_EQ(read["average_bus_bandwidth"]["okay"], false);
  EXPECT_EQ(report_of(head, row_of(2, 5.5, 0.5, 2), std::nullopt)["average_bus_bandwidth"]["okay"], "unchecked");
}

TEST(JsonReport, HoldsTheIterationsAndTheTimeOfEnqueuingWhereTheyAreAskedFor) {
  TableHead head = head_of_one_gpu();
  head.plan.each_iteration = true;
  head.columns.cpu_time = true;
  Row row = row_of(2, 5.5, 0.5, 2);
  row.out_of_place.enqueued_seconds = 1e-6;
  row.out_of_place.iterations = {1e-6, 3e-6};
  const auto result = report_of(head, row, std::nullopt)["results"][0];
  EXPECT_DOUBLE_EQ(result["out_of_place"]["cpu_time"], 1);
  EXPECT_FALSE(result["out_of_place"].contains("time"));
  EXPECT_DOUBLE_EQ(result["out_of_place_per_iter"]["min_us"], 1);
  EXPECT_DOUBLE_EQ(result["out_of_place_per_iter"]["p99_us"], 3);
  EXPECT_EQ(result["out_of_place_per_iter"]["times_us"].size(), 2u);
  EXPECT_FALSE(result["out_of_place_per_iter"].contains("per_process_max_times_us")) << "of one process";
}

// What nccl-tests' scripts/analyze_perf_json.py relies on: all times are there, also those that the summary skips, and
// in each iteration the longest of the processes is the one of times_us.
TEST(JsonReport, HoldsEveryIterationOfEveryProcessAndSummarizesThoseThatAreNotSkipped) {
  TableHead head = head_of_one_gpu();
  head.plan.each_iteration = true;
  head.plan.skipped_iterations = 1;
  Row row = row_of(2, 5.5, 0.5, 2);
  row.out_of_place.iterations = {9e-6, 1e-6, 3e-6};
  row.out_of_place.iterations_of_processes = {{9e-6, 0.5e-6, 3e-6}, {8e-6, 1e-6, 2e-6}};
  row.out_of_place.skipped_iterations = 1;
  const auto report = report_of(head, row, std::nullopt);
  EXPECT_EQ(report["config"]["per_iter_skip"], 1);
  const auto spread = report["results"][0]["out_of_place_per_iter"];
  EXPECT_EQ(spread["skipped_iterations"], 1);
  EXPECT_DOUBLE_EQ(spread["max_us"], 3);
  EXPECT_DOUBLE_EQ(spread["avg_us"], 2);
  ASSERT_EQ(spread["times_us"].size(), 3u);
  ASSERT_EQ(spread["per_process_max_times_us"].size(), 2u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(spread["times_us"][i], std::max(spread["per_process_max_times_us"][0][i].get<double>(),
                                                     spread["per_process_max_times_us"][1][i].get<double>()));
  }
}

TEST(JsonReport, IsWrittenAlsoWhereAnArgumentOrAVariableIsNotUtf8) {
  TableHead head = head_of_one_gpu();
  head.command = {"worker", "-J", "/tmp/\xff.json"};
  head.environment = {"NCCL_FOO=caf\xe9"};
  EXPECT_EQ(report_of(head, row_of(2, 5.5, 0.5), std::nullopt)["env"][0], "NCCL_FOO=caf\xef\xbf\xbd");
}

TEST(JsonReport, NamesAFileThatCannotBeWrittenBeforeTheSweep) {
  try {
    const JsonReport report("/no/such/folder/x.json", head_of_one_gpu());
    ADD_FAILURE();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/no/such/folder/x.json"));
  }
}

}  // namespace
}  // namespace ringrun::worker
