#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "lib/error.hpp"
#include "lib/version.hpp"
#include "worker/report/json.hpp"
#include "worker/report/table.hpp"

namespace ringrun::worker {
namespace {

Row row_of(std::size_t count, double out_of_place_us, double in_place_us, int ranks = 1) {
  Row row;
  row.operation.ranks = ranks;
  row.operation = operation_of(row.operation, static_cast<std::int64_t>(count * sizeof(float)));
  row.out_of_place.seconds = out_of_place_us * 1e-6;
  row.in_place.seconds = in_place_us * 1e-6;
  for (Measurement* measured : {&row.out_of_place, &row.in_place}) {
    measured->bandwidth = bandwidth_of(row.operation, measured->seconds);
    measured->wrong = 0;
  }
  return row;
}

TableHead head_of_one_gpu() {
  TableHead head;
  head.versions = "nccl-headers=22809 nccl-library=22809";
  head.smallest = 8;
  head.largest = 134217728;
  head.factor = 2;
  head.devices = {{0, 0, 1271, "vm", "device  0 [0000:00:06] NVIDIA H200"}};
  return head;
}

// The lines of nccl-tests 2.19.6 for the same run, but for the first, which names this program.
TEST(Table, IsThatOfNcclTestsToTheLetter) {
  std::ostringstream out;
  print_head(out, head_of_one_gpu());
  print_row(out, {}, row_of(2, 5.74, 0.34));
  print_row(out, {}, row_of(33554432, 67.066, 1.0207));
  print_foot(out, CollectiveKind::kAllReduce, {}, std::nullopt);
  EXPECT_EQ(out.str(), std::string("# ringrun worker version ") + kVersion + R"( nccl-headers=22809 nccl-library=22809
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 1 iters: 20 agg iters: 1 validation: 1 graph: 0 unalign: 0
#
# Using devices
#  Rank  0 Group  0 Pid   1271 on         vm device  0 [0000:00:06] NVIDIA H200
#
#                                                              out-of-place                       in-place          
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong 
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)         
           8             2     float     sum      -1     5.74    0.00    0.00       0     0.34    0.02    0.00       0
   134217728      33554432     float     sum      -1    67.07  2001.3    0.00       0     1.02  131496    0.00       0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 0 
#
# Collective test concluded: all_reduce_perf
#
)");
}

TEST(Table, SaysNotApplicableWhereNothingWasChecked) {
  Row row = row_of(2, 5.74, 0.34);
  row.out_of_place.wrong.reset();
  row.in_place.wrong.reset();
  std::ostringstream out;
  print_row(out, {}, row);
  EXPECT_EQ(out.str(),
            "           8             2     float     sum      -1     5.74    0.00    0.00     N/A     0.34    0.02    "
            "0.00     N/A\n");
}

TEST(Table, KeepsItsColumnsWhateverTheNumbersAre) {
  Row row = row_of(2, 12345678.4, 9999.999);
  row.out_of_place.bandwidth = {4.2e6, 999999.7};
  row.in_place.bandwidth = {99999.96, 1};
  std::ostringstream out;
  print_row(out, {}, row);
  EXPECT_EQ(out.str(),
            "           8             2     float     sum      -1  1.2e+07   4e+06   1e+06       0  10000.0  100000    "
            "1.00       0\n");
}

TEST(Table, LocatesWrongElementsUnderTheirRowAndSaysFailed) {
  Row row = row_of(2, 5.74, 0.34, 2);
  row.in_place.wrong = 3;
  row.in_place.wrong_locations = {"rank 1: 3 wrong\n"};
  SweepSummary summary;
  summary.add(row);
  std::ostringstream out;
  print_row(out, {}, row);
  print_foot(out, CollectiveKind::kAllReduce, summary, std::nullopt);
  EXPECT_THAT(out.str(), testing::HasSubstr("       3\n# rank 1: 3 wrong\n"));
  EXPECT_THAT(out.str(), testing::HasSubstr("# Out of bounds values : 3 FAILED\n"));
}

TEST(Table, NamesTheCollectiveAndShowsItsRootAndNoReductionWhereItHasNone) {
  TableHead head = head_of_one_gpu();
  head.plan.kind = CollectiveKind::kBroadcast;
  Row row = row_of(2, 5.74, 0.34);
  row.operation.kind = CollectiveKind::kBroadcast;
  row.operation.root = 3;
  std::ostringstream out;
  print_head(out, head);
  print_row(out, {}, row);
  print_foot(out, head.plan.kind, {}, std::nullopt);
  EXPECT_THAT(out.str(), testing::HasSubstr("# Collective test starting: broadcast_perf\n"));
  EXPECT_THAT(out.str(), testing::HasSubstr("           8             2     float    none       3     5.74"));
  EXPECT_THAT(out.str(), testing::HasSubstr("# Collective test concluded: broadcast_perf\n"));
}

std::string lines_with(const TableColumns& columns, const Row& row) {
  TableHead head = head_of_one_gpu();
  head.columns = columns;
  std::ostringstream out;
  print_head(out, head);
  print_row(out, columns, row);
  return out.str();
}

TEST(Table, ShowsTheTimeOfEnqueuingWhereThatIsAskedFor) {
  Row row = row_of(2, 5.74, 0.34);
  row.out_of_place.enqueued_seconds = 1.25e-6;
  const std::string table = lines_with({.cpu_time = true}, row);
  EXPECT_THAT(table, testing::HasSubstr("    root  cputime   algbw   busbw  #wrong  cputime   algbw"));
  EXPECT_THAT(table, testing::HasSubstr("      -1     1.25    0.00    0.00       0"));
}

TEST(Table, ShowsTheSpreadOfIterationsBesideEachTime) {
  Row row = row_of(2, 5.74, 0.34);
  row.out_of_place.iterations = {1e-6, 2e-6, 3e-6};
  row.in_place.iterations = {4e-6};
  const std::string table = lines_with({.each_iteration = true}, row);
  EXPECT_THAT(table, testing::HasSubstr("# Per-Iteration Report: "));
  EXPECT_THAT(table,
              testing::HasSubstr("time   algbw   busbw  #wrong    i_min    i_max    i_p99    i_cv%     time   algbw"));
  EXPECT_THAT(table, testing::HasSubstr("     5.74    0.00    0.00       0     1.00     3.00     3.00    40.82"
                                        "     0.34    0.02    0.00       0     4.00     4.00     4.00     0.00\n"));
}

TEST(Table, ShowsWhenARowWasMeasuredAndOfWhichGroupItIs) {
  Row row = row_of(2, 5.74, 0.34);
  row.group = 3;
  EXPECT_THAT(lines_with({.timestamps = true}, row),
              testing::ContainsRegex("#wrong           timestamp\n(.*\n)+.*       0  [0-9]{4}-[0-9]{2}-[0-9]{2} "
                                     "[0-9]{2}:[0-9]{2}:[0-9]{2}\n"));
  const std::string groups = lines_with({.groups = true}, row);
  EXPECT_THAT(groups, testing::HasSubstr("  #wrong   group\n"));
  EXPECT_THAT(groups, testing::HasSubstr("       0      3\n"));
}

TEST(Table, TellsInItsHeadWhatIsNotAsUsual) {
  TableHead head = head_of_one_gpu();
  head.threads = 2;
  head.gpus = 4;
  head.parallel_init = true;
  head.misalignment = 3;
  head.plan.graph_launches = 5;
  head.plan.blocking = Blocking::kWaitAndBarrier;
  head.devices[0].group = 7;
  std::ostringstream out;
  print_head(out, head);
  EXPECT_THAT(out.str(), testing::HasSubstr("# nThread 2 nGpus 4 minBytes"));
  EXPECT_THAT(out.str(), testing::HasSubstr(" graph: 5 unalign: 3\n"));
  EXPECT_THAT(out.str(),
              testing::HasSubstr("# Blocking Enabled: wait for completion and barrier after each collective"));
  EXPECT_THAT(out.str(), testing::HasSubstr("# Parallel Init Enabled: threads call into NcclInitRank concurrently"));
  EXPECT_THAT(out.str(), testing::HasSubstr("#  Rank  0 Group  7 Pid   1271 on"));
}

TEST(Table, SaysWhatMemoryWasTaken) {
  std::ostringstream out;
  print_foot(out, CollectiveKind::kAllReduce, {}, std::nullopt,
             {"GPU", {{"User-Allocated", 64.0 * (1 << 20)}, {"Initialization", 1.5 * (1 << 30)}}});
  EXPECT_THAT(
      out.str(),
      testing::HasSubstr("# GPU memory usage     : User-Allocated 64.0 MB | Initialization 1.50 GB | Total 1.56 GB\n"));
}

TEST(Table, SaysWhetherTheBandwidthThatWasAskedForIsReached) {
  SweepSummary summary;
  summary.add(row_of(2, 5.74, 0.34, 2));
  const auto foot = [&](double least) {
    std::ostringstream out;
    print_foot(out, CollectiveKind::kAllReduce, summary, least);
    return out.str();
  };
  EXPECT_THAT(foot(0), testing::ContainsRegex("# Avg bus bandwidth    : [0-9.e-]+ OK\n"));
  EXPECT_THAT(foot(1000), testing::ContainsRegex("# Avg bus bandwidth    : [0-9.e-]+ FAILED\n"));
}

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
