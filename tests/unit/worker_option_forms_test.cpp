// How the worker's words may be written.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "worker/cli/options.hpp"

namespace ringrun::worker {
namespace {

TEST(WorkerOptions, TakeTheFormsOfNumbersThatNcclTestsTakes) {
  EXPECT_EQ(parse_options({"-n", "0x10"}).plan.iterations, 16);
  EXPECT_EQ(parse_options({"-n", "020"}).plan.iterations, 16);
  EXPECT_EQ(parse_options({"-b", "1.3K", "-e", "8 K"}).smallest, 1331);
  EXPECT_EQ(parse_options({"-b", "1e3", "-e", "0x2000"}).largest, 8192);
}

TEST(WorkerOptions, TakeTheBeginningOfALongNameAsNcclTestsDoes) {
  EXPECT_EQ(parse_options({"--iter", "5"}).plan.iterations, 5);
  EXPECT_EQ(parse_options({"--warm=7"}).plan.warmups, 7);
  EXPECT_EQ(parse_options({"--max", "64M"}).largest, 64 << 20) << "--max-regression is none of nccl-tests'";
  EXPECT_TRUE(parse_options({"--expect"}).plan.expects);
}

TEST(WorkerOptions, TakeAQuestionForHelpBesideWhateverElseIsWrong) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-h", "--no-such"}, {"--no-such", "--help"}, {"-b", "8X", "-h"}})
    EXPECT_TRUE(parse_options(words).help) << words.front();
  EXPECT_FALSE(parse_options({}).help);
}

}  // namespace
}  // namespace ringrun::worker
