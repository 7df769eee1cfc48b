#include "launcher/run/rank_memory.hpp"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ringrun {
namespace {

/// Ends the process with what the kernel says of its memory: "mode mask", or why it says nothing.
[[noreturn]] void tell_policy(const std::vector<int>& nodes) {
  prefer_memory(nodes);
  int mode = -1;
  unsigned long mask[16] = {};
  if (syscall(SYS_get_mempolicy, &mode, mask, sizeof(mask) * 8, nullptr, 0) != 0) {
    std::fprintf(stderr, "refused: %s", std::strerror(errno));
  } else {
    std::fprintf(stderr, "policy %d %lx", mode, mask[0]);
  }
  std::exit(0);
}

TEST(RankMemory, ComesFromItsNodesWhereTheKernelAllowsThat) {
  EXPECT_EXIT(tell_policy({0}), testing::ExitedWithCode(0), "^(policy 1 1|refused: .*)$");
  EXPECT_EXIT(tell_policy({}), testing::ExitedWithCode(0), "^(policy 0 0|refused: .*)$");
}

TEST(RankMemory, OfANodeThatIsNotThereChangesNothing) {
  EXPECT_EXIT(tell_policy({900}), testing::ExitedWithCode(0), "^(policy 0 0|refused: .*)$");
}

}  // namespace
}  // namespace ringrun
