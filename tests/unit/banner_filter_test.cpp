#include "launcher/run/banner_filter.hpp"

#include <gtest/gtest.h>

namespace ringrun {
namespace {

const std::string kLine = std::string(74, '-') + "\n";

struct Filtered {
  std::string shown;
  std::string banners;
  std::string lost;
};

Filtered filtered(const std::string& text, std::size_t piece) {
  BannerFilter filter;
  Filtered result;
  for (std::size_t i = 0; i < text.size(); i += piece) result.shown += filter.feed(text.substr(i, piece));
  result.shown += filter.flush();
  return {result.shown, filter.banners(), filter.lost_node()};
}

TEST(BannerFilter, TakesOutWhatARanksRecordSaysAndKeepsItForJobsWithoutOne) {
  const std::string first =
      kLine + "Primary job  terminated normally, but 1 process returned\na non-zero exit code.\n" + kLine;
  const std::string second =
      kLine + "mpirun detected that one or more processes exited with non-zero status, thus causing\n" + kLine;
  const std::string third =
      kLine + "prterun noticed that process rank 1 with PID 90 on node b exited on\nsignal 11\n" + kLine;
  for (const std::size_t piece : {1, 7, 80, 10000}) {
    const Filtered result = filtered("a\n" + first + "x\n" + second + third + "b", piece);
    EXPECT_EQ(result.shown, "a\nx\nb") << piece;
    EXPECT_EQ(result.banners, first + second + third) << piece;
    EXPECT_EQ(result.lost, "") << piece;
  }
}

TEST(BannerFilter, KnowsTheNodeWhoseDaemonIsLostOnBothEngines) {
  const auto block = [](const std::string& engine, const std::string& node) {
    return kLine + engine + " has lost communication with a remote daemon.\n\n  HNP daemon   : [[1,0],0] on node a\n" +
           "  Remote daemon: [[1,0],1] on node " + node + "\n\nThis is usually due to\n" + kLine;
  };
  for (const std::size_t piece : {1, 7, 10000}) {
    EXPECT_EQ(filtered(block("ORTE", "192.168.1.6") + block("ORTE", "c"), piece).lost, "192.168.1.6");
    EXPECT_EQ(filtered(block("PRTE", "b") + "x", piece).lost, "b");
    EXPECT_EQ(filtered(block("PRTE", "b") + "x", piece).shown, "x");
  }
}

TEST(BannerFilter, KnowsTheRankThatEndedWithoutFinalizeOnBothEngines) {
  for (const std::string text :
       {"mpirun has exited due to process rank 3 with PID 892 on\nnode b exiting improperly.\n",
        "prterun has exited due to process rank 3 with PID 19 on node b exiting\nimproperly.\n"}) {
    BannerFilter filter;
    EXPECT_EQ(filter.feed(kLine + text + kLine + "x"), "x");
    EXPECT_EQ(filter.unfinished_rank(), "rank 3 on b");
  }
}

TEST(BannerFilter, TakesOutMpirunsWordsAboutSignalsAndFastShells) {
  const std::string rest = "[a:1] other\n[1";
  EXPECT_EQ(filtered("[a:00335] plm:rsh: Warning: setpgid(339,339) failed in parent with errno=13\n"
                     "mpirun: Forwarding signal 10 to job\n"
                     "[warn] Epoll MOD(1) on fd 24 failed. Old events were 6; read change was 0 (none); write change "
                     "was 2 (del); close change was 0 (none): Bad file descriptor\n" +
                         rest,
                     5)
                .shown,
            rest);
}

TEST(BannerFilter, TakesOutWhatSrunSaysOfTasksAndLeavesItsReasons) {
  const std::string tasks =
      "srun: error: b: task 1: Exited with exit code 3\nsrun: error: a: tasks 0,2: Segmentation fault\n"
      "srun: Terminating StepId=7.0\nslurmstepd-a: error: *** STEP 7.0 ON a CANCELLED AT 2026-11-30T16:00:00 ***\n"
      "slurmstepd-a: error:  mpi/pmix_v4: _errhandler: a [0]: pmixp_client_v2.c:211: Error handler invoked\n";
  const std::string reasons = "srun: error: Unable to allocate resources: Invalid account\nsrun: job 7 queued\nsr";
  for (const std::size_t piece : {1, 7, 10000}) {
    EXPECT_EQ(filtered(tasks + reasons, piece).shown, reasons) << piece;
    EXPECT_EQ(filtered(tasks + reasons, piece).banners, tasks) << piece;
  }
}

TEST(BannerFilter, KnowsTheCodeOfAnAbort) {
  BannerFilter filter;
  filter.feed(kLine + "MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD\nwith errorcode 7.\n\n" + kLine);
  EXPECT_EQ(filter.abort_code(), 7);
  BannerFilter other;
  other.feed(kLine + "It is known with errorcode 7.\n" + kLine);
  EXPECT_EQ(other.abort_code(), 0);
}

TEST(BannerFilter, LeavesEveryOtherTextAsItIs) {
  const std::string text = kLine + "MPI_ABORT was invoked on rank 0\n" + kLine + "----\n---- x\n" +
                           std::string(80, '-') + "\n\n" + kLine + "no end";
  for (const std::size_t piece : {1, 7, 80, 10000}) EXPECT_EQ(filtered(text, piece).shown, text) << piece;
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
  EXPECT_EQ(filtered(text, 1000).shown, text);
}

}  // namespace
}  // namespace ringrun
