#include "launcher/run/banner_filter.hpp"

#include <gtest/gtest.h>

namespace ringrun {
namespace {

const std::string kLine = std::string(74, '-') + "\n";

std::string filtered(const std::string& text, std::size_t piece) {
  BannerFilter filter;
  std::string shown;
  for (std::size_t i = 0; i < text.size(); i += piece) shown += filter.feed(text.substr(i, piece));
  return shown + filter.finish();
}

TEST(BannerFilter, TakesOutWhatTheRanksOwnLineSays) {
  const std::string text =
      "a\n" + kLine + "Primary job  terminated normally, but 1 process returned\na non-zero exit code.\n" + kLine +
      "\x01ringrun: rank 1 on b: exited with code 3\n" + kLine +
      "mpirun detected that one or more processes exited with non-zero status, thus causing\n" + kLine + "b";
  for (const std::size_t piece : {1, 7, 80, 10000}) {
    EXPECT_EQ(filtered(text, piece), "a\nringrun: rank 1 on b: exited with code 3\nb") << piece;
  }
}

TEST(BannerFilter, ShowsTheEnginesWordsAtTheEndWhereNoRankSpoke) {
  const std::string banner =
      kLine + "mpirun noticed that process rank 1 with PID 0 on node b exited on signal 9\n" + kLine;
  for (const std::size_t piece : {1, 7, 10000})
    EXPECT_EQ(filtered("a\n" + banner + "b\n", piece), "a\nb\n" + banner) << piece;
}

TEST(BannerFilter, KnowsTheCodeOfTheFirstRankThatFailed) {
  BannerFilter filter;
  // A job inside a rank: its own launcher has taken the mark off.
  filter.feed("ringrun: rank 0 on b: exited with code 9\n");
  EXPECT_FALSE(filter.first_failure());
  EXPECT_EQ(filter.feed("\x01ringrun: rank 1 on b (GPU 0): killed by sig"),
            "ringrun: rank 1 on b (GPU 0): killed by sig");
  filter.feed("nal 9 (SIGKILL)\n\x01ringrun: rank 0 on a: exited with code 3\n");
  EXPECT_EQ(filter.first_failure(), 137);
}

TEST(BannerFilter, LeavesEveryOtherTextAsItIs) {
  const std::string text = kLine + "MPI_ABORT was invoked on rank 0\n" + kLine + "----\n---- x\n" +
                           std::string(80, '-') + "\n\n" + kLine + "no end";
  for (const std::size_t piece : {1, 7, 80, 10000}) EXPECT_EQ(filtered(text, piece), text) << piece;
}

TEST(BannerFilter, HoldsNothingBackThatIsNoBanner) {
  BannerFilter filter;
  EXPECT_EQ(filter.feed("loss 0.1"), "loss 0.1");
  EXPECT_EQ(filter.feed("--"), "--");
  EXPECT_EQ(filter.feed("\n"), "\n");
  EXPECT_EQ(filter.feed("--"), "");
  EXPECT_TRUE(filter.holds());
  EXPECT_EQ(filter.flush(), "--");
  EXPECT_EQ(filter.feed("-> x"), "-> x");
}

TEST(BannerFilter, GivesUpABlockThatIsTooLong) {
  const std::string text = kLine + std::string(10000, 'x') + "\n" + kLine;
  EXPECT_EQ(filtered(text, 1000), text);
}

}  // namespace
}  // namespace ringrun
