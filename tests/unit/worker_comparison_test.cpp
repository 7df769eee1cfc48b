// What is told of a sweep beside its table: CSV, the baseline, the summary, the progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "lib/error.hpp"
#include "worker/report/baseline.hpp"
#include "worker/report/csv.hpp"
#include "worker/report/highlights.hpp"
#include "worker/report/progress.hpp"

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Row row_of(std::int64_t bytes, double microseconds, int ranks = 2) {
  Row row;
  row.operation.ranks = ranks;
  row.operation = operation_of(row.operation, bytes);
  for (Measurement* measured : {&row.out_of_place, &row.in_place}) {
    measured->seconds = microseconds * 1e-6;
    measured->bandwidth = bandwidth_of(row.operation, measured->seconds);
  }
  return row;
}

Timings timings_of(const std::vector<Row>& rows) {
  Timings timings;
  for (const Row& row : rows) add_row(timings, row);
  return timings;
}

/// As nccl-tests 2.19.6 writes it: the root and booleans are texts.
const char* const kOfNcclTests = R"({"version": 3, "results": [
  {"size": 1024, "count": 256, "type": "float", "redop": "sum", "root": "-1",
   "out_of_place": {"time": 10.0, "alg_bw": 0.1, "bus_bw": 0.1, "nwrong": "0"},
   "in_place": {"time": 20.0, "alg_bw": 0.05, "bus_bw": 0.05, "nwrong": "0"},
   "experiment_name": "all_reduce_perf"}],
  "out_of_bounds": {"count": 0, "okay": "true"}})";

TEST(Baseline, ReadsTheFileOfNcclTests) {
  const Timings before = baseline_from(kOfNcclTests, "x.json", {2, false});
  ASSERT_EQ(before.size(), 2u);
  const Comparison same = compare(before, timings_of({row_of(1024, 10.4)}), 0.05);
  EXPECT_EQ(same.compared, 2);
  ASSERT_EQ(same.differences.size(), 1u);
  EXPECT_EQ(same.differences[0].what, "all_reduce 1024 B float sum, in-place");
  EXPECT_FALSE(same.differences[0].slower());
  EXPECT_FALSE(same.is_slower());
}

TEST(Baseline, FindsWhatTookLongerThanIsAllowed) {
  const Comparison comparison = compare(timings_of({row_of(8, 10), row_of(64, 10)}),
                                        timings_of({row_of(8, 10.4), row_of(64, 11), row_of(128, 9)}), 0.05);
  EXPECT_EQ(comparison.compared, 4);
  EXPECT_EQ(comparison.missing, 2);
  ASSERT_EQ(comparison.differences.size(), 2u);
  EXPECT_TRUE(comparison.is_slower());
  const std::string text = text_of(comparison, "old.json", 0.05);
  EXPECT_THAT(text,
              HasSubstr("# Slower: all_reduce 64 B float sum, out-of-place: 11.00 us, before 10.00 (+10.0 %, noise "
                        "0.0 %)\n"));
  EXPECT_THAT(text, HasSubstr("-N 5 in both runs"));
  EXPECT_THAT(text, HasSubstr("# Baseline old.json: 4 measurements compared, 2 not in it; slower by more than 5 %: "
                              "FAILED\n"));
}

TEST(Baseline, DoesNotBlameWhatTheNoiseExplains) {
  Row noisy = row_of(64, 10);
  // Of 4 iterations the mean is known within 2 × 50 % / 2.
  noisy.out_of_place.iterations = noisy.in_place.iterations = {5e-6, 15e-6, 5e-6, 15e-6};
  EXPECT_TRUE(compare(timings_of({row_of(64, 10)}), timings_of({row_of(64, 15)}), 0.05).is_slower());
  EXPECT_FALSE(compare(timings_of({noisy}), timings_of({row_of(64, 15)}), 0.05).is_slower());
  // Cycles that lie far apart tell as well, and their median is compared.
  const Timings cycles = timings_of({row_of(64, 9), row_of(64, 15), row_of(64, 10)});
  EXPECT_FALSE(compare(timings_of({row_of(64, 10)}), cycles, 0.05).is_slower());
}

TEST(Baseline, SaysWhatIsWrongWithAFile) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      baseline_from(text, "x.json", {2, true});
    } catch (const UserError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(error_of("{"), HasSubstr("x.json is not the worker's JSON"));
  EXPECT_THAT(error_of("{}"), HasSubstr("x.json is not the worker's JSON"));
  EXPECT_THAT(error_of(R"({"results": []})"), HasSubstr("x.json has no measurement"));
  EXPECT_THROW(read_baseline("/no/such/file.json", {2, true}), UserError);
  EXPECT_THROW(read_baseline("/tmp", {2, true}), UserError);
  EXPECT_THROW(read_baseline("/dev/null", {2, true}), UserError);
  EXPECT_THAT(error_of("\xff"), testing::Not(HasSubstr("\xff")));
  EXPECT_THAT(error_of(R"({"version": 99, "results": []})"), HasSubstr("has schema 99"));
  EXPECT_THAT(error_of(R"({"config": {"devices": [{}]}, "results": []})"),
              HasSubstr("is of 1 rank, and this job has 2"));
  EXPECT_THAT(error_of(R"({"nccl_version": 22809, "results": []})"), HasSubstr("is of NCCL, and this job uses MPI"));
}

TEST(Baseline, LeavesOutWhatIsNoTime) {
  for (const char* time : {"null", "0", "-1", "\"nan\"", "\"abc\"", "\"1e3junk\""}) {
    std::string text = kOfNcclTests;
    text.replace(text.find("20.0"), 4, time);
    const Timings before = baseline_from(text, "x.json", {2, false});
    EXPECT_EQ(before.size(), 1u) << time;
    EXPECT_EQ(compare(before, timings_of({row_of(1024, 10)}), 0.05).missing, 1) << time;
  }
}

TEST(Baseline, WithoutAnythingInCommonFails) {
  const Comparison comparison = compare(timings_of({row_of(8, 10)}), timings_of({row_of(64, 10)}), 0.05);
  EXPECT_EQ(comparison.compared, 0);
  EXPECT_THAT(text_of(comparison, "old.json", 0.05), HasSubstr("nothing in common: FAILED"));
}

TEST(Csv, HasALineForEachPlacement) {
  const auto file = std::filesystem::temp_directory_path() / ("ringrun-csv-" + std::to_string(getpid()) + ".csv");
  CsvReport csv(file);
  Row row = row_of(1024, 2);
  row.out_of_place.wrong = 0;
  row.in_place.iterations = {1e-6, 3e-6};
  csv.add(row);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::filesystem::remove(file);
  EXPECT_THAT(text, HasSubstr("collective,group,ranks,size,count,type,redop,root,placement,time_us,"));
  EXPECT_THAT(text,
              HasSubstr("\nall_reduce,0,2,1024,256,float,sum,-1,out_of_place,2.000,0.5120,0.5120,0,,,,,,,,,,,,,,,,\n"));
  EXPECT_THAT(text,
              HasSubstr("\nall_reduce,0,2,1024,256,float,sum,-1,in_place,2.000,0.5120,0.5120,,2,1.000,3.000,3.000,"
                        "3.000,3.000,50.00,,,,,,,,,\n"));
  EXPECT_THROW(CsvReport("/no/such/folder/x.csv"), UserError);
}

TEST(Highlights, AreTheSmallestSizesLatencyThePeakAndHalfOfIt) {
  Highlights highlights;
  highlights.add(row_of(8, 5.5));
  highlights.add(row_of(1 << 20, 1000));  // 1.05 GB/s
  highlights.add(row_of(2 << 20, 1000));  // 2.10
  highlights.add(row_of(4 << 20, 1000));  // 4.19
  EXPECT_THAT(highlights.lines(),
              ElementsAre("# Summary: float sum: 8 B in 5.50 us, peak busbw 4.19 GB/s at 4M, half of it from 2M\n"));
  Highlights of_one_rank;
  of_one_rank.add(row_of(1 << 20, 1000, 1));
  EXPECT_THAT(of_one_rank.lines()[0], HasSubstr("peak algbw 1.05 GB/s at 1M"));
}

TEST(Highlights, HaveALineForEachTypeRootAndGroup) {
  Highlights highlights(true);
  Row row = row_of(64, 1);
  highlights.add(row);
  row.operation.type = DataType::kInt32;
  highlights.add(row);
  row.operation.kind = CollectiveKind::kBroadcast;
  row.operation.root = 1;
  row.group = 3;
  highlights.add(row);
  ASSERT_EQ(highlights.lines().size(), 3u);
  EXPECT_THAT(highlights.lines()[1], HasSubstr("# Summary: int32 sum, group 0: 64 B"));
  EXPECT_THAT(highlights.lines()[2], HasSubstr("# Summary: int32 root 1, group 3: 64 B"));
}

TEST(Progress, TakesSizesByTheirBytesAndKnowsTheCycles) {
  SweepPlan plan;
  plan.sizes = {8, 3 << 20};
  plan.types = {DataType::kFloat, DataType::kInt8};
  plan.ops = {ReduceOp::kSum};
  Progress progress(plan, 2);
  EXPECT_EQ(progress.text(1), "");
  progress.add(8);
  progress.add(3 << 20);
  EXPECT_EQ(progress.text(10), "25 %, about 30 s left");
  Progress endless(plan, 0);
  for (int i = 0; i < 5; ++i) endless.add(3 << 20);
  EXPECT_EQ(endless.text(10), "cycle 2");
}

}  // namespace
}  // namespace ringrun::worker
