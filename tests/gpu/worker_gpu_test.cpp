// The worker on a real GPU that goes wrong. Two ranks share the first one, and to NCCL are hosts joined by sockets.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/command.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;

/// The deadline of each wait, after which ranks look again for some seconds and the job is ended.
constexpr seconds kToTheEnd{30};

class GpuWorker : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "there is no NVIDIA GPU here";
  }

  static CommandResult two_ranks(const std::vector<std::string>& program,
                                 std::map<std::string, std::string> fault = {}) {
    std::vector<std::string> words{built_program("ringrun"), "--share-gpu", "-np", "2"};
    words.insert(words.end(), program.begin(), program.end());
    fault.insert({{"CUDA_VISIBLE_DEVICES", "0"}, {"NCCL_SOCKET_IFNAME", "lo"}});
    return run_command(words, {.cwd = RINGRUN_BIN_DIR, .env = fault, .timeout = seconds(100)});
  }

  static CommandResult faulty_sweep(const std::vector<std::string>& options, std::map<std::string, std::string> fault) {
    std::vector<std::string> words{"./worker", "--share-gpu", "-d", "int32", "-w", "0"};
    words.insert(words.end(), options.begin(), options.end());
    fault.insert({{"LD_PRELOAD", FAULTY_NCCL}, {"FAULTY_RANK", "1"}, {"FAULTY_COUNT", "512"}});
    return two_ranks(words, fault);
  }

  /// A sweep without an end, whose rank 1 does `fault` some time after it began.
  static CommandResult endless_sweep(const std::string& fault) {
    return two_ranks({"sh", "-c",
                      "if [ $RANK = 1 ]; then (sleep 10; " + fault +
                          ") & fi; exec ./worker --share-gpu -b 8 -e 64K -f 8 -n 5 -N 0 -T 5"});
  }
};

TEST_F(GpuWorker, FindsAWrongElementAndItsPlace) {
  const auto run = faulty_sweep({"-b", "2K", "-e", "2K", "-n", "2"}, {{"FAULTY_BYTE", "308"}});
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  const auto rows = sweep_rows(run.out);
  ASSERT_EQ(rows.size(), 1u) << run.out;
  EXPECT_EQ(rows[0].wrong_out_of_place, "1");
  EXPECT_EQ(rows[0].wrong_in_place, "0");
  EXPECT_THAT(run.out, ContainsRegex("# rank 1 on [^ ]+: 1 wrong in the "));
  EXPECT_THAT(run.out, HasSubstr("first at element 77 of 512: expected "));
}

TEST_F(GpuWorker, FindsAWrongElementOfATimedOperation) {
  // Of the operations of 2 KiB one is untimed, five are timed, each in a part of its own, and then one is checked.
  const auto sweep = [](const std::string& check) {
    return faulty_sweep({"-b", "2K", "-e", "16K", "-f", "8", "-n", "5", "-c", check},
                        {{"FAULTY_BYTE", "308"}, {"FAULTY_CALL", "3"}});
  };
  EXPECT_EQ(sweep("1").exit_code, 0);
  const auto run = sweep("timed");
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("after timed iteration 2, first at element 77 of 512: expected "));
}

TEST_F(GpuWorker, FindsAWrongElementOfASoak) {
  const auto run =
      faulty_sweep({"-b", "2K", "-e", "2K", "--soak", "60s"}, {{"FAULTY_BYTE", "308"}, {"FAULTY_CALL", "3"}});
  EXPECT_EQ(run.exit_code, 7) << run.out << run.err;
  EXPECT_THAT(run.out, ContainsRegex("# rank 1 on [^ ]+: 1 wrong in the all-reduce of 2048 bytes \\(int32 sum, "));
}

TEST_F(GpuWorker, NamesTheRankWhoseGpuRunsIntoAnError) {
  const auto run = faulty_sweep({"-b", "2K", "-e", "2K", "-n", "5", "-T", "5"}, {});
  EXPECT_EQ(run.exit_code, 2) << run.out << run.err;
  EXPECT_LT(run.elapsed, kToTheEnd);
  EXPECT_THAT(run.err, ContainsRegex(":1\\] worker: cuda[^\n]*: unspecified launch failure"));
  EXPECT_THAT(run.err, ContainsRegex("ringrun: rank 1 on [^\n]*: exited with code 2"));
}

TEST_F(GpuWorker, NamesARankThatIsKilledInMidSweep) {
  const auto run = endless_sweep("kill -KILL $$");
  EXPECT_EQ(run.exit_code, 137) << run.err;
  EXPECT_LT(run.elapsed, kToTheEnd);
  EXPECT_THAT(run.err, ContainsRegex("rank 1 on "));
}

TEST_F(GpuWorker, NamesARankThatIsStoppedInMidSweep) {
  const auto run = endless_sweep("kill -STOP $$");
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_LT(run.elapsed, kToTheEnd);
  EXPECT_THAT(run.err, HasSubstr("did not arrive: rank 1 on "));
}

}  // namespace
}  // namespace ringrun::test
