#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/mpirun.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;

/// A sweep without an end, whose rank 1 does `fault` after two seconds, unless the shell that runs it is rank 0.
std::vector<std::string> endless_sweep(const std::string& fault, const std::string& deadline) {
  return {"sh", "-c",
          "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then (sleep 2; " + fault +
              ") & fi; "
              "exec ./worker --backend mpi -b 8 -e 64K -f 2 -N 0 -T " +
              deadline};
}

int occurrences(const std::string& text, const std::string& of) {
  int count = 0;
  for (auto at = text.find(of); at != std::string::npos; at = text.find(of, at + 1)) ++count;
  return count;
}

/// The four seconds of looking again, two in which the first rank may report, MPI's start and its end.
constexpr seconds kBeyondTheDeadline{11};

TEST(WorkerFault, NamesTheRankThatNeverArrivesWithinTheDeadline) {
  const auto run = mpirun(
      3, {"sh", "-c", "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then exec sleep 1000; fi; exec ./worker --backend mpi -T 4"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("MPI_Init did not end within 4 s"));
  EXPECT_THAT(run.err, HasSubstr("did not arrive: rank 1 on "));
  EXPECT_EQ(occurrences(run.err, "did not end within"), 1) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(4) + kBeyondTheDeadline));
}

TEST(WorkerFault, IsNoneWhereAWaitEndsJustAfterItsDeadline) {
  const auto run = mpirun(
      3, {"sh", "-c",
          "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then sleep 5; fi; exec ./worker --backend mpi -b 8 -e 8 -T init=3,op=60"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("worker:")));
  EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 0 OK"));
}

TEST(WorkerFault, IsNotThatOfARankWhoseWordComesLate) {
  // Rank 1 never arrives. Rank 0 waits for it, and can say so only two seconds after the deadline.
  const auto run = mpirun(3, {"sh", "-c",
                              "case $OMPI_COMM_WORLD_RANK in 0) (sleep 2; kill -STOP $$; sleep 4; kill -CONT $$) & ;; "
                              "1) exec sleep 1000 ;; esac; exec ./worker --backend mpi -T 4"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, ContainsRegex("did not arrive: rank 1 on [^,\n]*\n"));
  EXPECT_THAT(run.err, ContainsRegex("waiting: rank 0 on .*, rank 2 on "));
  EXPECT_EQ(occurrences(run.err, "did not end within"), 1) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(4) + kBeyondTheDeadline));
}

TEST(WorkerFault, IsToldByAnotherRankWhereTheOneThatWouldReportIsStopped) {
  // Rank 0 is stopped while all listen for rank 1; two are left to report.
  const auto run =
      mpirun(4, {"sh", "-c",
                 "case $OMPI_COMM_WORLD_RANK in 0) (sleep 6; kill -STOP $$) & ;; 1) exec sleep 1000 ;; esac; "
                 "exec ./worker --backend mpi -T 4"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("did not arrive: rank 1 on "));
  EXPECT_EQ(occurrences(run.err, "did not end within"), 1) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(4) + kBeyondTheDeadline));
}

TEST(WorkerFault, IsNoneWhereARankIsMerelyLate) {
  const auto run = mpirun(
      3, {"sh", "-c", "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then sleep 4; fi; exec ./worker --backend mpi -b 8 -e 8"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, Not(HasSubstr("worker:")));
}

TEST(WorkerFault, NamesTheRankThatIsStoppedInMidSweep) {
  const auto run = mpirun(3, endless_sweep("kill -STOP $$", "4"));
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("did not arrive: rank 1 on "));
  EXPECT_THAT(run.err, HasSubstr("waiting: rank 0 on "));
  EXPECT_EQ(occurrences(run.err, "did not end within"), 1) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(2) + seconds(4) + kBeyondTheDeadline));
}

TEST(WorkerFault, NamesRankZeroThatIsStoppedWhileItWaits) {
  // Rank 2 never arrives; rank 0 waits for it, says so, and is then stopped: rank 1 must report both.
  const auto run =
      mpirun(3, {"sh", "-c",
                 "case $OMPI_COMM_WORLD_RANK in 0) (sleep 4; kill -STOP $$) & ;; 2) exec sleep 1000 ;; esac; "
                 "exec ./worker --backend mpi -T 6"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_THAT(run.err, HasSubstr("did not arrive: rank 0 on "));
  EXPECT_THAT(run.err, HasSubstr(", rank 2 on "));
  EXPECT_THAT(run.err, HasSubstr("waiting: rank 1 on "));
  EXPECT_EQ(occurrences(run.err, "did not end within"), 1) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(6) + kBeyondTheDeadline));
}

TEST(WorkerFault, EndsAtOnceWhereARankIsKilled) {
  const auto run = mpirun(3, endless_sweep("kill -KILL $$", "60"));
  EXPECT_EQ(run.exit_code, 137) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(10)));
}

TEST(WorkerFault, EndsAtOnceWhereARankIsKilledBeforeItsMpiInit) {
  const auto run = mpirun(
      2,
      {"sh", "-c", "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then sleep 1; kill -KILL $$; fi; exec ./worker --backend mpi"});
  EXPECT_EQ(run.exit_code, 137) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(10)));
}

TEST(WorkerFault, RefusesATypeThatMpiLacksOnceAndWith5) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-d", "half"});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_EQ(occurrences(run.err, "MPI has no element type half"), 1) << run.err;
  EXPECT_EQ(mpirun(2, {"./worker", "--backend", "mpi", "-o", "avg"}).exit_code, 5);
  EXPECT_EQ(mpirun(2, {"./worker", "--backend", "mpi", "-g", "2"}).exit_code, 5);
}

TEST(WorkerFault, ExitsWith6ForABadOptionAndSaysItOnce) {
  const auto run = mpirun(3, {"./worker", "--no-such-option"});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_EQ(occurrences(run.err, "no-such-option"), 1) << run.err;
}

TEST(WorkerFault, SaysWhatIsWrongWithAnOptionAlsoWhereTheFirstRankStartsLate) {
  const auto run = mpirun(2, {"sh", "-c",
                              "if [ $OMPI_COMM_WORLD_RANK = 0 ]; then sleep 2; fi; "
                              "exec ./worker --no-such-option"});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_EQ(occurrences(run.err, "worker: "), 1) << run.err;
}

TEST(WorkerFault, SaysWhatIsWrongWithAnOptionThatTheFirstRankWasNotGiven) {
  const auto run = mpirun(1, {"./worker", "--backend", "mpi", ":", "-np", "2", "./worker", "--no-such-option"});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_THAT(run.err, ContainsRegex("\\[[^ ]+:1\\] worker: .*no-such-option"));
  EXPECT_EQ(occurrences(run.err, "worker: "), 1) << run.err;
}

TEST(WorkerFault, RefusesToSweepAloneAsARankOfALoopThatNoMpiJoins) {
  CommandOptions options;
  options.env = {{"RANK", "1"}, {"WORLD_SIZE", "2"}};
  const auto run = run_command({built_program("worker"), "-b", "8", "-e", "8"}, options);
  EXPECT_EQ(run.exit_code, 5) << run.out;
  EXPECT_THAT(run.err, HasSubstr("RANK=1 and WORLD_SIZE=2"));
  EXPECT_THAT(run.err, HasSubstr("mpirun"));
}

TEST(WorkerFault, TellsThatAnotherMpiStartedIt) {
  const auto run =
      run_command({built_program("worker"), "--backend", "mpi"}, {.env = {{"PMI_SIZE", "2"}, {"PMI_RANK", "0"}}});
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the launcher started 2 processes, but MPI says this is 0 of 1"));
}

TEST(WorkerFault, TellsAFileThatCannotBeWrittenBeforeTheSweep) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-b", "8", "-e", "8", "-J", "/no/such/folder/x.json"});
  EXPECT_EQ(run.exit_code, 6) << run.err;
  EXPECT_THAT(run.err, HasSubstr("/no/such/folder/x.json"));
}

}  // namespace
}  // namespace ringrun::test
