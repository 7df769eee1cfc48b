#include "worker/watch/interruption.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

namespace ringrun::worker {
namespace {

TEST(Interruption, TellsTheSignalAndThenEndsTheProcessByIt) {
  for (const auto& [signal, name] :
       {std::pair{SIGINT, "told SIGINT"}, std::pair{SIGTERM, "told SIGTERM"}, std::pair{SIGHUP, "told SIGHUP"}}) {
    EXPECT_EXIT(
        {
          const Interruption interruption([](const char* told) { std::fprintf(stderr, "told %s\n", told); });
          kill(getpid(), signal);
          pause();
        },
        testing::KilledBySignal(signal), name);
  }
}

TEST(Interruption, LeavesAHangupIgnoredWhereItWas) {
  EXPECT_EXIT(
      {
        ::signal(SIGHUP, SIG_IGN);
        const Interruption interruption([](const char* told) { std::fprintf(stderr, "told %s\n", told); });
        kill(getpid(), SIGHUP);
        kill(getpid(), SIGTERM);
        pause();
      },
      testing::KilledBySignal(SIGTERM), "told SIGTERM");
}

TEST(Interruption, IsOverWithItsOwner) {
  bool told = false;
  {
    const Interruption interruption([&](const char*) { told = true; });
  }
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0);
  EXPECT_FALSE(told);
}

}  // namespace
}  // namespace ringrun::worker
