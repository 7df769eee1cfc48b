#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <sstream>

#include "lib/version.hpp"
#include "tests/unit/report_rows.hpp"
#include "worker/report/table.hpp"

namespace ringrun::worker {
namespace {

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
              testing::ContainsRegex("#wrong           timestamp\n.*\\(GB/s\\)           %Y-%m-%d %H:%M:%S\n.* "
                                     "      0  [0-9]{4}-[0-9]{2}-[0-9]{2} "
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

}  // namespace
}  // namespace ringrun::worker
