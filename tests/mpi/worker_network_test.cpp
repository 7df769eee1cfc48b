// What the worker does about the network where plain mpirun started it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/cannot_run.hpp"
#include "tests/support/mpirun.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;

TEST(WorkerNetwork, IsChosenAlikeByThreeHostsThatReachEachOther) {
  const auto run = mpirun(3, {NETWORK_CHOICE_PROGRAM, "made"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("rank 0: =card0\n"));
  EXPECT_THAT(run.out, HasSubstr("rank 1: =card1\n"));
  EXPECT_THAT(run.out, HasSubstr("rank 2: =card2\n"));
  EXPECT_THAT(run.out, HasSubstr("Network: host0 uses card0 127.0.0.1 for NCCL\n"
                                 "Network: host1 uses card1 127.0.0.1 for NCCL\n"
                                 "Network: host2 uses card2 127.0.0.1 for NCCL\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("worker:")));
}

TEST(WorkerNetwork, IsExplainedWhereAHostCannotBeReached) {
  if (geteuid() != 0) RINGRUN_CANNOT_RUN("a network namespace of a rank's own needs root");
  const auto run = mpirun(3, {NETWORK_CHOICE_PROGRAM, "made", "2"});
  EXPECT_EQ(run.exit_code, 8) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("worker: error "));
  EXPECT_THAT(run.out, HasSubstr("host2"));
  EXPECT_THAT(run.out, HasSubstr("rank 2: \n"));
  EXPECT_THAT(run.elapsed, Lt(milliseconds(4500)));
}

TEST(WorkerNetwork, IsNotSpokenOfWhereAllRanksAreOnOneHost) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-b", "8", "-e", "8", "-n", "1"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_right_rows(run.out, 8, 8);
  EXPECT_THAT(run.out, Not(HasSubstr("Network:")));
  EXPECT_THAT(run.out, Not(HasSubstr("MPI keeps off")));
}

TEST(WorkerNetwork, IsSuspectedWhereOtherHostsWereNotHeardOf) {
  // The ranks are told that half of the job is elsewhere.
  const auto run = mpirun(2, {"sh", "-c",
                              "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exec sleep 1000; fi; "
                              "OMPI_COMM_WORLD_LOCAL_SIZE=1 exec ./worker --backend mpi -T 2"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("MPI_Init did not end within 2 s"));
  EXPECT_THAT(run.err, HasSubstr("ringrun --doctor -hostfile FILE"));
  EXPECT_THAT(run.elapsed, Lt(seconds(12)));
}

TEST(WorkerNetwork, IsNotSuspectedWhereEveryRankIsOnThisHost) {
  const auto run = mpirun(
      2, {"sh", "-c", "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exec sleep 1000; fi; exec ./worker --backend mpi -T 2"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("--doctor")));
}

}  // namespace
}  // namespace ringrun::test
