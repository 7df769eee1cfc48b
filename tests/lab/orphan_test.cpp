// A launcher that is killed leaves nothing behind on any host.
#include <gmock/gmock.h>

#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {
namespace {

class LabOrphan : public Lab {
 protected:
  static Job start_endless_sweep() {
    return start("a", {built_program("ringrun"), "-np", "2", "-hostfile", "hostfiles/ab", "./worker", "-b", "1M", "-e",
                       "1M", "-n", "5", "-N", "0"});
  }
};

// Lab::TearDown waits at most 5 s for both hosts to be empty; the expectations here say it where it belongs.

TEST_F(LabOrphan, NothingIsLeftAfterRingrunIsKilled) {
  auto job = start_endless_sweep();
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  const auto all = processes("a");
  ASSERT_FALSE(all.empty());
  // The lowest pid of the host is the one that the lab started: ringrun itself.
  send_signal("a", "KILL", all.front().substr(0, all.front().find(' ')));
  expect_no_process_left();
  EXPECT_EQ(job.finish().exit_code, 137);
}

TEST_F(LabOrphan, NothingIsLeftAfterMpirunUnderRingrunIsKilled) {
  auto job = start_endless_sweep();
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  send_signal("a", "KILL", pid_of("a", "mpirun"));
  expect_no_process_left();
  EXPECT_NE(job.finish().exit_code, 0);
}

TEST_F(LabOrphan, NothingIsLeftAfterRingrunIsTerminated) {
  auto job = start_endless_sweep();
  ASSERT_TRUE(job.wait_for_output("     1048576 ")) << job.output();
  const auto all = processes("a");
  send_signal("a", "TERM", all.front().substr(0, all.front().find(' ')));
  expect_no_process_left();
  EXPECT_EQ(job.finish().exit_code, 143);
}

/// Ranks that ignore what they are told, with a child that hides in a session of its own.
class LabStubborn : public Lab {
 protected:
  static Job start_stubborn_ranks() {
    auto job = start(
        "a", {built_program("ringrun"), "-np", "2", "-hostfile", "hostfiles/ab", "sh", "-c",
              "trap '' TERM INT HUP; setsid sh -c 'trap \"\" TERM INT HUP; sleep 1001; true' & sleep 1002; true"});
    for (const auto& host : {"a", "b"}) {
      EXPECT_TRUE(wait_until([&] { return sleeps(host) == 2; }, std::chrono::seconds(20))) << job.output();
    }
    return job;
  }

  static int sleeps(const std::string& host) {
    int count = 0;
    for (const auto& line : processes(host)) count += line.find(" sleep 100") != std::string::npos ? 1 : 0;
    // The shells' own lines have these words too.
    for (const auto& line : processes(host))
      count -= line.find("trap") != std::string::npos && line.find(" sleep 100") != std::string::npos ? 1 : 0;
    return count;
  }
};

TEST_F(LabStubborn, NothingIsLeftAfterMpirunIsKilled) {
  auto job = start_stubborn_ranks();
  send_signal("a", "KILL", pid_of("a", "mpirun"));
  expect_no_process_left();
  EXPECT_EQ(job.finish().exit_code, 137);
}

TEST_F(LabStubborn, NothingIsLeftAfterADaemonIsKilledAndItsHostIsNamed) {
  auto job = start_stubborn_ranks();
  send_signal("b", "KILL", pid_of("b", "orted"));
  expect_no_process_left();
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.out, testing::HasSubstr("ringrun: 192.168.1.6 was lost: the engine's daemon there ended"));
}

TEST_F(LabStubborn, NothingIsLeftAfterARankFails) {
  auto job = start_stubborn_ranks();
  std::string rank;
  for (const auto& line : processes("b")) {
    if (line.find(" sleep 1002") != std::string::npos && line.find("__rank") == std::string::npos &&
        line.find("/sh -c trap") != std::string::npos)
      rank = line;
  }
  ASSERT_NE(rank, "");
  send_signal("b", "SEGV", rank.substr(0, rank.find(' ')));
  expect_no_process_left();
  const auto result = job.finish();
  EXPECT_EQ(result.exit_code, 139);
  EXPECT_THAT(result.out, testing::HasSubstr("ringrun: rank 1 on b: killed by signal 11 (SIGSEGV)"));
}

}  // namespace
}  // namespace ringrun::test
