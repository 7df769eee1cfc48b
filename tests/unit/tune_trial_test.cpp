#include "worker/tune/trial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "worker/tune/network_way.hpp"
#include "worker/tune/trial_process.hpp"

namespace ringrun::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;

TEST(TuneTrial, TravelsAsItIs) {
  TrialOrder order;
  order.number = 7;
  order.setting = {{{"NCCL_SOCKET_IFNAME", {"=eth0", "=eth1"}}}};
  order.iterations = {3, 4};
  order.deadline = 1.5;
  EXPECT_EQ(trial_order_from(to_text(order)), order);
  const TrialReport report{{1e-6, 2e-6}, "", false, false, {"NET/Socket"}};
  EXPECT_EQ(trial_report_from(to_text(report)), report);
  const std::string id("\0\xff\nid", 5);
  EXPECT_EQ(trial_answer_from(to_text(TrialAnswer{id, {}, ""})).id, id);
  TrialTask task;
  task.operation.kind = CollectiveKind::kAllGather;
  task.operation.type = DataType::kDouble;
  task.sizes = {8, 16};
  task.placement.devices = {3};
  const TrialTask read = trial_task_from(to_text(task));
  EXPECT_EQ(read.operation.kind, task.operation.kind);
  EXPECT_EQ(read.operation.type, task.operation.type);
  EXPECT_EQ(read.sizes, task.sizes);
  EXPECT_EQ(read.placement.devices, task.placement.devices);
  EXPECT_THROW(trial_answer_from("{\"id\": \"zz\", \"seconds\": [], \"error\": \"\"}"), std::exception);
  EXPECT_THROW(trial_answer_from("{}"), std::exception);
}

TEST(TuneTrial, IsTheAverageOfAllProcessesOrTheFailureOfTheOneThatKnowsMost) {
  EXPECT_THAT(
      combined({{{1, 2}, "", false, false, {"P2P"}}, {{3, 6}, "", false, false, {"P2P", "NET/IB"}}}, {"a", "b"}),
      testing::AllOf(testing::Field(&TrialReport::seconds, ElementsAre(2, 4)),
                     testing::Field(&TrialReport::transports, ElementsAre("P2P", "NET/IB"))));
  const TrialReport stopped{{}, "was stopped", false, true, {}};
  const TrialReport late{{}, "did not end in time", true, false, {}};
  const TrialReport died{{}, "ended by signal 11", false, false, {}};
  EXPECT_EQ(combined({stopped, late, died}, {"a", "b", "c"}).error, "process 2 on c: ended by signal 11");
  EXPECT_EQ(combined({stopped, late}, {"a", "b"}).error, "process 1 on b: did not end in time");
  EXPECT_TRUE(combined({{{1}, "", false, false, {}}, late}, {"a", "b"}).timed_out);
}

TEST(TuneTrial, ReadsTheWaysBetweenRanksFromNcclsLog) {
  EXPECT_THAT(transports_in("a:1:2 [0] NCCL INFO NET/Socket : Using [0]eth0:10.0.0.1<0>\n"
                            "a:1:2 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/Socket/0\n"
                            "a:1:2 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[0] [send] via NET/Socket/1/Shared\n"
                            "a:1:2 [0] NCCL INFO Channel 00/0 : 0[0] -> 2[1] via P2P/CUMEM/read\n"
                            "a:1:2 [0] NCCL INFO Channel 00 : 0[0] -> 3[1] via SHM/direct/direct\n"
                            "a:1:2 [0] NCCL INFO Channel 02/0 : 0[0] -> 8[0] [send] via NET/IBext_v8/2/GDRDMA\r\n"),
              ElementsAre("NET/Socket", "P2P", "SHM", "NET/IBext_v8"));
  EXPECT_THAT(transports_in("sent via NET/Socket/0\n"), IsEmpty());
}

TEST(TuneTrial, QuotesNcclsLastWarning) {
  EXPECT_EQ(last_warning("a [0] x.cc:1 NCCL WARN first\nb [0] NCCL WARN second\nend\n"), "; NCCL: second");
  EXPECT_EQ(last_warning("nothing"), "");
}

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }
const auto never = [] { return false; };
std::chrono::steady_clock::time_point within(milliseconds time) { return std::chrono::steady_clock::now() + time; }

TEST(TuneProcess, GetsALineAndAnswersWithOneInItsOwnEnvironment) {
  setenv("TUNE_TEST_GONE", "here", 1);
  TrialProcess process(shell("read line <&3; echo printed; echo \"$line $TUNE_TEST ${TUNE_TEST_GONE-gone}\" >&3"),
                       {{"TUNE_TEST", "changed"}, {"TUNE_TEST_GONE", std::nullopt}});
  process.send("asked");
  const auto line = process.next_line(within(seconds(10)), never);
  ASSERT_TRUE(std::holds_alternative<std::string>(line));
  EXPECT_EQ(std::get<std::string>(line), "asked changed gone");
  EXPECT_EQ(process.said(), "printed\n");
}

TEST(TuneProcess, TellsHowItEndedWhereItDoesNotAnswer) {
  TrialProcess dies(shell("kill -SEGV $$"), {});
  auto end = dies.next_line(within(seconds(10)), never);
  ASSERT_TRUE(std::holds_alternative<TrialProcess::Ended>(end));
  EXPECT_THAT(std::get<TrialProcess::Ended>(end).how, HasSubstr("ended by signal 11"));
  dies.send("into nothing");
  TrialProcess leaves(shell("exit 3"), {});
  end = leaves.next_line(within(seconds(10)), never);
  ASSERT_TRUE(std::holds_alternative<TrialProcess::Ended>(end));
  EXPECT_EQ(std::get<TrialProcess::Ended>(end).how, "ended with exit code 3");
}

TEST(TuneProcess, IsGoneBehindItsDeadlineHoweverItHangs) {
  pid_t pid = 0;
  const auto begin = std::chrono::steady_clock::now();
  {
    TrialProcess process(shell("trap '' TERM INT HUP; while :; do sleep 0.1; done"), {});
    pid = process.pid();
    EXPECT_TRUE(std::holds_alternative<TrialProcess::TimedOut>(process.next_line(within(milliseconds(200)), never)));
  }
  EXPECT_NE(kill(pid, 0), 0);
  EXPECT_THAT(std::chrono::steady_clock::now() - begin, Lt(seconds(5)));
}

TEST(TuneProcess, StopsToBeWaitedForWhereAnotherHasFailed) {
  TrialProcess process(shell("sleep 60"), {});
  int asked = 0;
  const auto line = process.next_line(within(seconds(30)), [&] { return ++asked == 3; });
  EXPECT_TRUE(std::holds_alternative<TrialProcess::Stopped>(line));
}

TEST(TuneProcess, MayPrintMoreThanAPipeHolds) {
  TrialProcess process(shell("echo begin; yes 0123456789 | head -c 3000000; echo end; echo done >&3"), {});
  EXPECT_TRUE(std::holds_alternative<std::string>(process.next_line(within(seconds(30)), never)));
  const std::string said = process.said();
  EXPECT_LT(said.size(), 600000u);
  EXPECT_EQ(said.rfind("begin\n", 0), 0u);
  EXPECT_EQ(said.substr(said.size() - 4), "end\n");
}

}  // namespace
}  // namespace ringrun::worker
