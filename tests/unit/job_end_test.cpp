#include "launcher/run/job_end.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

#include "launcher/run/failure_report.hpp"

namespace ringrun {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

EndRecord ended(int rank, const std::string& host, int code, std::int64_t time = 0) {
  EndRecord record;
  record.rank = rank;
  record.host = host;
  record.code = code;
  record.time = time;
  return record;
}

RankLedger started(int ranks) {
  RankLedger ledger;
  for (int rank = 0; rank < ranks; ++rank) ledger.add(StartRecord{rank, rank / 2, 0}, 0);
  return ledger;
}

JobEnd engine_ended(int code, int signal = 0) {
  JobEnd end;
  end.engine = {code, signal};
  return end;
}

TEST(RankLedger, OrdersEndsThoughClocksDisagreeAndRecordsOvertake) {
  RankLedger ledger;
  constexpr std::int64_t kSecond = 1'000'000;
  // b's clock is an hour ahead of a's; the launcher's is another.
  ledger.add(StartRecord{0, 0, 0}, 50 * kSecond);
  ledger.add(StartRecord{1, 1, 3600 * kSecond}, 50 * kSecond + 900);
  ledger.add(StartRecord{2, 1, 3600 * kSecond}, 50 * kSecond + 100);
  ledger.add(ended(0, "a", 14, 2 * kSecond), 52 * kSecond);
  ledger.add(ended(1, "b", 4, 3601 * kSecond), 53 * kSecond);
  ledger.add(ended(2, "b", 5, 3601 * kSecond - 7), 54 * kSecond);
  std::vector<int> ranks;
  for (const EndRecord& record : ledger.failures()) ranks.push_back(record.rank);
  EXPECT_THAT(ranks, ElementsAre(2, 1, 0));
}

TEST(RankLedger, TakesAKilledRankForTheCauseOfAnExitInTheSameMoment) {
  RankLedger ledger = started(4);
  EndRecord killed = ended(2, "b", 0, 1000);
  killed.signal = 9;
  ledger.add(ended(0, "a", 14, 0), 0);
  ledger.add(killed, 1000);
  EXPECT_EQ(ledger.failures().front().rank, 2);
  EXPECT_THAT(ledger.stopped(), ElementsAre(1, 3));
  EndRecord later = ended(3, "b", 0, 5'000'000);
  later.signal = 9;
  RankLedger other = started(4);
  other.add(ended(0, "a", 14, 0), 0);
  other.add(later, 5'000'000);
  EXPECT_EQ(other.failures().front().rank, 0);
}

TEST(RankLedger, TakesARankThatSlurmEndedForStopped) {
  RankLedger ledger = started(3);
  EndRecord stopped = ended(1, "a", 0, 10);
  stopped.signal = SIGTERM;
  ledger.add(stopped, 10);
  ledger.add(ended(2, "b", 7, 40), 40);
  ASSERT_EQ(ledger.failures().size(), 1u);
  EXPECT_EQ(ledger.failures()[0].rank, 2);
  EXPECT_THAT(ledger.stopped(), ElementsAre(0, 1));
}

TEST(RankLedger, TakesARankThatOpenMpi5EndedForTheEchoOfAnother) {
  RankLedger ledger = started(4);
  EndRecord aborted = ended(3, "b", 0, 500'000);
  aborted.signal = 6;
  ledger.add(ended(0, "a", 14, 0), 0);
  ledger.add(aborted, 500'000);
  EXPECT_EQ(ledger.failures().front().rank, 3);
  RankLedger alone = started(4);
  alone.add(ended(0, "a", 14, 0), 0);
  EXPECT_EQ(alone.failures().front().rank, 0);
}

TEST(RankLedger, TakesNeitherAGoodEndNorAConsequenceForAFailure) {
  RankLedger ledger = started(3);
  ledger.add(ended(0, "a", 0), 0);
  EndRecord told = ended(1, "a", 143);
  told.told = true;
  ledger.add(told, 0);
  EXPECT_FALSE(ledger.any_failed());
  EXPECT_THAT(ledger.stopped(), ElementsAre(1, 2));
}

TEST(FailureReport, SaysWhoFailedHowAndWhoWasStopped) {
  RankLedger ledger = started(8);
  EndRecord first = ended(5, "b", 0);
  first.gpu = 1;
  first.signal = 11;
  first.core = true;
  first.lines = {"Traceback", "  ValueError"};
  ledger.add(first, 0);
  ledger.add(ended(6, "b", 2), 0);
  ledger.add(ended(0, "a", 0), 0);
  const std::string beginning = "rank 5 on b (GPU 1): killed by signal 11 (SIGSEGV), core dumped\n";
  const std::string rest = "  another failed behind it: rank 6 (code 2)\n  ranks 1-4, 7 were stopped because of it\n";
  EXPECT_EQ(failure_report(ledger, "Traceback\nx\n  ValueError\n", true), beginning + rest);
  std::string noise;
  for (int i = 0; i < 30; ++i) noise += "other words\n";
  EXPECT_EQ(failure_report(ledger, "Traceback\n  ValueError\n" + noise, true),
            beginning + "  its last words:\n    Traceback\n      ValueError\n" + rest);
}

TEST(JobEnd, HasTheCodeOfTheFirstRankToFailWhateverTheEngineSays) {
  RankLedger ledger = started(4);
  ledger.add(ended(1, "a", 3), 0);
  ledger.add(ended(2, "b", 9), 0);
  for (const JobEnd& end : {engine_ended(143), engine_ended(0, 9), engine_ended(9)}) {
    EXPECT_EQ(judge(end, ledger, "").exit_code, 3);
    EXPECT_FALSE(judge(end, ledger, "").shows_banners);
  }
  EXPECT_EQ(judge(engine_ended(9), ledger, "").restart_reason, "rank 1 on a exited with code 3");
}

TEST(JobEnd, SaysNothingBehindASuccess) {
  RankLedger ledger = started(2);
  ledger.add(ended(0, "a", 0), 0);
  const JobVerdict verdict = judge(engine_ended(0), ledger, "");
  EXPECT_EQ(verdict.exit_code, 0);
  EXPECT_THAT(verdict.lines, IsEmpty());
  EXPECT_FALSE(verdict.shows_banners);
}

TEST(JobEnd, IsNoSuccessWhereEveryRankIsStillToEnd) { EXPECT_EQ(judge(engine_ended(0), started(2), "").exit_code, 3); }

TEST(JobEnd, LeavesTheWordToTheEngineWhereNoRankSpoke) {
  const JobVerdict verdict = judge(engine_ended(7), started(2), "");
  EXPECT_EQ(verdict.exit_code, 7);
  EXPECT_TRUE(verdict.shows_banners);
  EXPECT_EQ(verdict.restart_reason, "");
  JobEnd killed = engine_ended(0, 9);
  killed.told_to_end = true;
  killed.lost_node = "b";
  EXPECT_EQ(judge(killed, started(2), "").exit_code, 3) << "killed because a host was lost";
  EXPECT_THAT(judge(engine_ended(0, 9), started(2), "").lines,
              ElementsAre("mpirun was killed by signal 9, and the job with it\n"));
}

TEST(JobEnd, OfALostHostIsTheHostsFaultAlsoWhereARankNoticedIt) {
  RankLedger ledger = started(2);
  JobEnd end = engine_ended(205);
  end.lost_node = "b";
  end.lost_first = true;
  ledger.add(ended(0, "a", 1), 0);
  EXPECT_EQ(judge(end, ledger, "").exit_code, 3);
  EXPECT_THAT(judge(end, ledger, "").lines,
              ElementsAre("b was lost: the engine's daemon there ended, or the network to it\n"));
  end.lost_first = false;
  EXPECT_EQ(judge(end, ledger, "").exit_code, 1);
  EXPECT_EQ(judge(engine_ended(205), started(2), "").exit_code, 3);
}

TEST(JobEnd, OfAnAbortUnderSrunHasItsCodeThoughSlurmKilledEveryRank) {
  RankLedger ledger = started(3);
  for (const int rank : {1, 2}) {
    EndRecord killed = ended(rank, "b", 0);
    killed.signal = SIGKILL;
    ledger.add(killed, 0);
  }
  EXPECT_EQ(abort_code(7, {0, SIGKILL}, ledger), 7) << "said by the rank";
  EXPECT_EQ(abort_code(0, {7, 0}, ledger), 7) << "said by srun";
  EXPECT_EQ(abort_code(0, {137, 0}, ledger), 0) << "a rank was killed";
  EXPECT_EQ(abort_code(0, {14, 0}, ledger), 0) << "a rank was killed, and another has noticed";
  EXPECT_EQ(abort_code(0, {7, 0}, started(3)), 0);
  JobEnd end = engine_ended(7);
  end.abort_code = 7;
  EXPECT_EQ(judge(end, ledger, "").exit_code, 7);
  EXPECT_THAT(judge(end, ledger, "").lines, ElementsAre("a rank called MPI_Abort(7), and Slurm killed every rank\n"));
}

TEST(JobEnd, WithoutFinalizeIsSaidInOneLine) {
  JobEnd end = engine_ended(1);
  end.unfinished_rank = "rank 3 on b";
  const JobVerdict verdict = judge(end, started(4), "");
  EXPECT_EQ(verdict.exit_code, 1);
  EXPECT_FALSE(verdict.shows_banners);
  EXPECT_THAT(verdict.lines, ElementsAre("rank 3 on b ended without MPI_Finalize, and the others were stopped\n"));
}

TEST(JobEnd, IsNotTriedAgainWhereTheProgramCannotStart) {
  RankLedger ledger = started(1);
  EndRecord record = ended(0, "a", 0);
  record.error = ENOENT;
  record.program = "/x";
  ledger.add(record, 0);
  const JobVerdict verdict = judge(engine_ended(127), ledger, "");
  EXPECT_EQ(verdict.exit_code, 127);
  EXPECT_THAT(verdict.lines, ElementsAre("rank 0 on a: cannot start /x: No such file or directory\n"));
  EXPECT_EQ(verdict.restart_reason, "");
}

TEST(JobEnd, CountsASignalOfTheUserAndADeadlineAsShellsDo) {
  JobEnd end = engine_ended(1);
  end.cause = EndCause::user;
  end.signal = 15;
  EXPECT_EQ(judge(end, started(1), "").exit_code, 143);
  end.cause = EndCause::timeout;
  EXPECT_EQ(judge(end, started(1), "").exit_code, 124);
  end.cause = EndCause::start;
  EXPECT_EQ(judge(end, started(1), "").exit_code, 3);
}

}  // namespace
}  // namespace ringrun
