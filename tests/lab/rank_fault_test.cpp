// Ranks that never come, die or stop: each ends the job within its deadline, with the right code and cause.
#include <gmock/gmock.h>

#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;

struct Launcher {
  const char* name;
  std::string program;
  bool explains;  ///< names a killed rank; Open MPI 4.1 alone does not always
};

void PrintTo(const Launcher& launcher, std::ostream* stream) { *stream << launcher.name; }

const std::string endless_sweep = "exec ./worker -b 1M -e 1M -n 5 -N 0 -T 5";

class LabRankFault : public Lab, public testing::WithParamInterface<Launcher> {
 protected:
  static Job start_ranks(const std::string& script) {
    return start("a", {GetParam().program, "-np", "2", "-hostfile", "hostfiles/ab", "sh", "-c", script});
  }

  static void expect_names_rank_1_on_b(const std::string& output) {
    EXPECT_THAT(output, ContainsRegex("[Rr]ank 1"));
    EXPECT_THAT(output, ContainsRegex("(on|host|node) +(b|192\\.168\\.1\\.6)|\\[b:1\\]|rank 1[^\n]*\\(b\\)"));
  }
};

TEST_P(LabRankFault, ARankThatNeverArrivesIsNamedAfterTheTimeout) {
  auto job = start_ranks("if [ $OMPI_COMM_WORLD_RANK = 1 ]; then sleep 1000; fi; exec ./worker -T 5");
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_LT(result.elapsed, seconds(20));
  expect_names_rank_1_on_b(result.out);
}

TEST_P(LabRankFault, ARankKilledBeforeInitEndsTheJob) {
  auto job = start_ranks("if [ $OMPI_COMM_WORLD_RANK = 1 ]; then kill -KILL $$; fi; exec ./worker -T 30");
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 137) << result.out;
  EXPECT_LT(result.elapsed, seconds(10));
  if (GetParam().explains) expect_names_rank_1_on_b(result.out);
}

TEST_P(LabRankFault, ARankKilledInInitEndsTheJob) {
  // Rank 0 keeps rank 1 waiting in MPI_Init for as long as it is needed there.
  auto job = start_ranks("if [ $OMPI_COMM_WORLD_RANK = 0 ]; then sleep 1000; fi; exec ./worker -T 60");
  const std::string worker = pid_of("b", "worker");
  const auto threads = [&] { return on("b", {"ls", "/proc/" + worker + "/task"}).out; };
  // Its second thread is started by the initialisation.
  ASSERT_TRUE(wait_until([&] { return threads().find('\n') != threads().rfind('\n'); }, seconds(10)));
  send_signal("b", "KILL", worker);
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 137) << result.out;
  EXPECT_LT(result.elapsed, seconds(20));
  if (GetParam().explains) expect_names_rank_1_on_b(result.out);
}

TEST_P(LabRankFault, ARankKilledInMidSweepEndsTheJob) {
  auto job = start_ranks(endless_sweep);
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  send_signal("b", "KILL", pid_of("b", "worker"));
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 137) << result.out;
  EXPECT_LT(result.elapsed, seconds(20));
  if (GetParam().explains) expect_names_rank_1_on_b(result.out);
}

TEST_P(LabRankFault, ARankStoppedInMidSweepIsNamedAfterTheTimeout) {
  auto job = start_ranks(endless_sweep);
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  const auto stopped = std::chrono::steady_clock::now();
  send_signal("b", "STOP", pid_of("b", "worker"));
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_LT(std::chrono::steady_clock::now() - stopped, seconds(20));
  expect_names_rank_1_on_b(result.out);
}

class LabCut : public Lab {};

// Plain mpirun 4.1.4 waits for the lost daemon for ever.
TEST_F(LabCut, ALinkThatBreaksInMidSweepEndsTheJobWithTheWorkersCode) {
  auto job = start("a", {built_program("ringrun"), "-np", "2", "-hostfile", "hostfiles/ab", "sh", "-c", endless_sweep});
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  on("b", {"ip", "link", "set", "enp3s0", "down"});
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 4) << result.out;
  EXPECT_THAT(result.out, HasSubstr("did not arrive: rank 1 on b"));
  EXPECT_LT(result.elapsed, seconds(50));
  EXPECT_TRUE(processes("a").empty());
  // Once b hears that mpirun is gone its daemon ends, and the rank with it.
  on("b", {"ip", "link", "set", "enp3s0", "up"});
  expect_no_process_left(seconds(60));
}

INSTANTIATE_TEST_SUITE_P(By, LabRankFault,
                         testing::Values(Launcher{"mpirun", "mpirun", false},
                                         Launcher{"ringrun", built_program("ringrun"), true}),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace ringrun::test
