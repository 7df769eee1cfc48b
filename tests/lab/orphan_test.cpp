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

}  // namespace
}  // namespace ringrun::test
