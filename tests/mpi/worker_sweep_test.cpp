#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "lib/host/host_name.hpp"
#include "tests/support/mpirun.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;

TEST(Worker, SweepsHostMemoryRightWithTwoAndFourRanksUnderPlainMpirun) {
  for (int ranks : {2, 4}) {
    const auto run = mpirun(ranks, {"./worker", "--backend", "mpi", "-b", "8", "-e", "1M", "-f", "2", "-n", "3"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_right_rows(run.out, 8, 1 << 20);
    EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 0 OK"));
    EXPECT_THAT(run.out, HasSubstr("#  Rank  1 Group  0 Pid"));
    EXPECT_THAT(run.out, HasSubstr("# Backend: MPI on host memory"));
  }
}

TEST(Worker, ChecksEveryTypeAndOperationThatMpiHas) {
  const auto run = mpirun(
      3, {"./worker", "--backend", "mpi", "-b", "64", "-e", "64K", "-f", "32", "-d", "all", "-o", "all", "-n", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.out << run.err;
  std::set<std::pair<std::string, std::string>> combinations;
  for (const SweepRow& row : sweep_rows(run.out)) {
    combinations.emplace(row.type, row.op);
    EXPECT_EQ(row.wrong_out_of_place, "0");
    EXPECT_EQ(row.wrong_in_place, "0");
  }
  // int8, uint8, int32, uint32, int64, uint64, float, double with sum, prod, max, min.
  EXPECT_EQ(combinations.size(), 8u * 4u);
}

TEST(Worker, FindsAndLocatesOneWrongElementAndExitsWith7) {
  const auto run =
      mpirun(2, {"./worker", "--backend", "mpi", "-b", "256", "-e", "1K", "-f", "2", "-d", "int32", "-n", "1"},
             {.env = {{"LD_PRELOAD", CORRUPT_COLLECTIVES},
                      {"CORRUPT_RANK", "1"},
                      {"CORRUPT_COUNT", "128"},
                      {"CORRUPT_INDEX", "77"}}});
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  const auto rows = sweep_rows(run.out);
  ASSERT_EQ(rows.size(), 3u) << run.out;
  EXPECT_EQ(rows[0].wrong_out_of_place, "0");
  EXPECT_EQ(rows[1].wrong_out_of_place, "1");
  EXPECT_EQ(rows[1].wrong_in_place, "1");
  EXPECT_EQ(rows[2].wrong_out_of_place, "0");
  EXPECT_THAT(run.out, HasSubstr("# rank 1 on " + short_host_name(host_name()) +
                                 ": 1 wrong in the all-reduce of 512 bytes (int32 sum, out-of-place), first at "
                                 "element 77 of 128: expected "));
  EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 2 FAILED"));
}

TEST(Worker, ReportsASingleRankHonestly) {
  const auto run = mpirun(1, {"./worker", "--backend", "mpi", "-b", "8", "-e", "64", "-f", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("# One rank: out-of-place is a local copy, in-place does nothing"));
  EXPECT_THAT(run.out, HasSubstr("# Avg bus bandwidth    : 0 "));
}

TEST(Worker, RunsAloneWithoutALauncher) {
  const auto run = run_command({built_program("worker"), "--backend", "mpi", "-b", "8", "-e", "8"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_right_rows(run.out, 8, 8);
}

TEST(Worker, RepeatsTheSweepAsOftenAsAsked) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-b", "8", "-e", "16", "-f", "2", "-N", "3"});
  EXPECT_EQ(sweep_rows(run.out).size(), 6u) << run.out;
}

TEST(Worker, ExitsWith7BelowTheBandwidthThatIsAskedFor) {
  const std::vector<std::string> sweep{"./worker", "--backend", "mpi", "-b", "8", "-e", "8", "-n", "1"};
  EXPECT_EQ(mpirun(2, sweep, {.env = {{"NCCL_TESTS_MIN_BW", "1000"}}}).exit_code, 7);
  EXPECT_EQ(mpirun(2, sweep, {.env = {{"NCCL_TESTS_MIN_BW", "0"}}}).exit_code, 0);
}

}  // namespace
}  // namespace ringrun::test
