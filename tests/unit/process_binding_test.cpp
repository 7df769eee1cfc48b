#include "lib/placement/process_binding.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <thread>

#include "lib/topology/cpu_list.hpp"

namespace ringrun {
namespace {

// In processes of their own, since each changes what the process is.

[[noreturn]] void tell_policy(const std::vector<int>& nodes) {
  prefer_memory(nodes);
  const MemoryPolicy policy = memory_policy();
  std::fprintf(stderr, "%s %s", policy.kind.empty() ? "refused" : policy.kind.c_str(),
               format_cpu_list(policy.nodes).c_str());
  std::exit(0);
}

TEST(RankMemory, ComesFromItsNodesWhereTheKernelAllowsThat) {
  EXPECT_EXIT(tell_policy({0}), testing::ExitedWithCode(0), "^(prefer 0|refused )$");
  EXPECT_EXIT(tell_policy({}), testing::ExitedWithCode(0), "^(any |refused )$");
}

TEST(RankMemory, OfANodeThatIsNotThereChangesNothing) {
  EXPECT_EXIT(tell_policy({900}), testing::ExitedWithCode(0), "^(any |refused )$");
}

[[noreturn]] void tell_cpus_of_an_older_thread(int cpu) {
  std::promise<void> bound;
  std::string cpus;
  std::thread older([&] {
    bound.get_future().wait();
    cpus = format_cpu_list(own_cpus());
  });
  bind_process({cpu});
  bound.set_value();
  older.join();
  std::fprintf(stderr, "%s and %s", cpus.c_str(), format_cpu_list(own_cpus()).c_str());
  std::exit(0);
}

TEST(ProcessBinding, IsThatOfEveryThreadThatThereIs) {
  const int last = own_cpus().back();
  const std::string text = std::to_string(last);
  EXPECT_EXIT(tell_cpus_of_an_older_thread(last), testing::ExitedWithCode(0), "^" + text + " and " + text + "$");
}

TEST(ProcessBinding, ToNoProcessorOfThisMachineIsRefused) {
  EXPECT_THROW(bind_process({60000}), std::exception);
  EXPECT_THROW(bind_process({}), std::exception);
}

}  // namespace
}  // namespace ringrun
