// --expected where no link joins the ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mpirun.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

TEST(WorkerExpected, SaysWhyThereIsNoCeilingWithinOneHost) {
  const auto run = mpirun(4, {"./worker", "--backend", "mpi", "-b", "1K", "-e", "64K", "-f", "8", "--expected"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_right_rows(run.out, 1024, 64 << 10, 8);
  EXPECT_THAT(run.out, HasSubstr("# Expected: no ceiling, since all ranks share one host's memory"));
  EXPECT_THAT(run.out, ContainsRegex("   0\n#   ceiling -\n"));
}

TEST(WorkerExpected, CallsWhatOneRankDoesInPlaceImpossible) {
  const auto run = mpirun(1, {"./worker", "--backend", "mpi", "-b", "8", "-e", "8", "--expected"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("#   IMPOSSIBLE in-place: one rank has nothing to do in place"));
  EXPECT_THAT(run.out, Not(HasSubstr("IMPOSSIBLE out-of-place")));
}

TEST(WorkerExpected, HasItsOwnGroupsOfRanks) {
  const auto run = mpirun(4, {"./worker", "--backend", "mpi", "-b", "1K", "-e", "1K", "--expected"},
                          {.env = {{"NCCL_TESTS_SPLIT", "MOD 2"}}});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("#   ceiling -\n.*\n#   ceiling -\n"));
}

}  // namespace
}  // namespace ringrun::test
