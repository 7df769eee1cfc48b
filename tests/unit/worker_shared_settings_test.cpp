#include "worker/cli/shared_settings.hpp"

#include <gtest/gtest.h>

namespace ringrun::worker {
namespace {

std::string settings_of(const std::vector<std::string>& arguments) { return shared_settings(parse_options(arguments)); }

TEST(SharedSettings, NameTheFirstThatDiffersWithBothValues) {
  const std::vector<std::string> all{settings_of({"-b", "8", "-e", "8K"}), settings_of({"-b", "8", "-e", "8K"}),
                                     settings_of({"-b", "8", "-e", "4K"})};
  EXPECT_EQ(difference_of(all, {"a", "b", "c"}),
            "process 2 on c was started with -e 4096, process 0 on a with -e 8192");
}

TEST(SharedSettings, NameASplitThatSomeWereNotGiven) {
  const std::string split = shared_settings(parse_options({}, {.split = "MOD 2"}));
  EXPECT_EQ(difference_of({settings_of({}), split}, {"a", "b"}),
            "process 1 on b was started with NCCL_TESTS_SPLIT MOD 2, process 0 on a with NCCL_TESTS_SPLIT none");
}

TEST(SharedSettings, LeaveEachProcessItsOwnFiles) {
  EXPECT_EQ(difference_of({settings_of({"-J", "x"}), settings_of({"--csv", "y", "-T", "5"})}, {"a", "b"}),
            std::nullopt);
}

}  // namespace
}  // namespace ringrun::worker
