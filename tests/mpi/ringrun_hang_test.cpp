#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/mpi/ringrun_job.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

// What NCCL 2.28.9 prints where its interface is the bridge of docker; then it is silent for ever.
const std::string kFatalLine =
    "b:71:88 [0] misc/socket.cc:50 NCCL WARN socketStartConnect: connect to 172.17.0.1<41234> failed : Network is "
    "unreachable";

/// One rank that is a shell.
CommandResult job(std::vector<std::string> options, const std::string& script, const std::string& mark = "") {
  options.insert(options.begin(), {"-np", "1", "-H", "localhost:1"});
  options.insert(options.end(), {"sh", "-c", script});
  std::map<std::string, std::string> environment;
  if (!mark.empty()) environment.emplace("RINGRUN_TEST_MARK", mark);
  return ringrun(options, environment);
}

std::size_t count(const std::string& text, const std::string& words) {
  std::size_t found = 0;
  for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1)) ++found;
  return found;
}

TEST(RingrunHang, IsExplainedAtOnceAndEndedWhereItIsAskedFor) {
  const std::string mark = "hang." + std::to_string(getpid());
  const CommandResult result =
      job({"--on-hang=end", "--hang-timeout", "2"}, "echo '" + kFatalLine + "'; sleep 300; true", mark);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.elapsed, seconds(20));
  EXPECT_EQ(result.out, kFatalLine + "\n");
  EXPECT_EQ(count(result.err, "ringrun: error "), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("172.17.0.1"));
  EXPECT_THAT(result.err, HasSubstr("the job has been silent for 2 s since "));
  EXPECT_THAT(result.err, HasSubstr("it hangs, and is ended (--on-hang=report lets it run)"));
  EXPECT_THAT(result.err, Not(HasSubstr("mpirun")));
  EXPECT_TRUE(eventually([&] { return marked_processes("RINGRUN_TEST_MARK=" + mark).empty(); }));
}

TEST(RingrunHang, OfAProgramThatIsNotTheWorkerIsOnlyReported) {
  const CommandResult result = job({"--hang-timeout", "1"}, "echo '" + kFatalLine + "' >&2; sleep 4; echo on");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "on\n");
  EXPECT_EQ(count(result.err, "ringrun: error "), 1u) << result.err;
  EXPECT_EQ(count(result.err, "the job has been silent for 1 s"), 1u) << result.err;
  EXPECT_THAT(result.err, HasSubstr("Ctrl-C or kill "));
}

TEST(RingrunHang, IsNoneWhereOutputGoesOn) {
  const CommandResult result =
      job({"--on-hang=end", "--hang-timeout", "2"},
          "echo '[1,0]<stdout>:" + kFatalLine + "'; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; printf $i; done");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("12345678910"));
  EXPECT_THAT(result.err, Not(HasSubstr("silent")));
}

TEST(RingrunHang, OfASilentJobWithoutAFatalLineIsNobodysBusiness) {
  const CommandResult result = job({"--on-hang=end", "--hang-timeout", "1"}, "echo begin; sleep 3; echo end");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
}

TEST(RingrunOutput, OfAFailureIsExplainedBehindTheRanksOwnLine) {
  const CommandResult result =
      job({}, "echo 'WARNING: Open MPI failed to TCP connect to a peer MPI process.' >&2; exit 7");
  EXPECT_EQ(result.exit_code, 7);
  const std::size_t rank = result.err.find("exited with code 7");
  const std::size_t finding = result.err.find("  fix:");
  ASSERT_NE(rank, std::string::npos) << result.err;
  ASSERT_NE(finding, std::string::npos) << result.err;
  EXPECT_LT(rank, finding);
}

TEST(RingrunOutput, OfASuccessIsNotExplained) {
  const CommandResult result =
      job({}, "echo 'WARNING: Open MPI failed to TCP connect to a peer MPI process.' >&2; exit 0");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "WARNING: Open MPI failed to TCP connect to a peer MPI process.\n");
}

class RingrunStream : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directory(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string run_line(const std::string& words) const {
    return built_program("ringrun") + " -np 1 -H localhost:1 " + words;
  }

  /// A shell's line around ringrun.
  CommandResult shell(const std::string& line) const {
    CommandOptions options;
    options.env = kRoot;
    options.env.emplace("RINGRUN_TEST_MARK", mark_);
    return run_command({"bash", "-c", line}, options);
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ringrun-stream-" + std::to_string(getpid()));
  std::string mark_ = "stream." + std::to_string(getpid());
};

TEST_F(RingrunStream, OfBytesArrivesByteForByteToAPipeAndToAFile) {
  std::string bytes(8 << 20, '\0');
  unsigned state = 1;
  for (char& byte : bytes) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  bytes.back() = 'x';
  std::ofstream(folder_ / "in", std::ios::binary) << bytes;
  EXPECT_TRUE(ringrun({"-np", "1", "-H", "localhost:1", "cat", folder_ / "in"}).out == bytes);
  EXPECT_EQ(shell(run_line("cat " + (folder_ / "in").string() + " > " + (folder_ / "out").string())).exit_code, 0);
  std::ifstream out(folder_ / "out", std::ios::binary);
  EXPECT_TRUE(std::string((std::istreambuf_iterator<char>(out)), std::istreambuf_iterator<char>()) == bytes);
}

TEST_F(RingrunStream, ToASlowReaderLosesNothingAtTheEnd) {
  const CommandResult result = shell(run_line("seq 200000") + " | (sleep 3; md5sum); seq 200000 | md5sum");
  const std::vector<std::string> sums = lines(result.out);
  ASSERT_EQ(sums.size(), 2u) << result.err;
  EXPECT_EQ(sums[0], sums[1]);
}

TEST_F(RingrunStream, WhoseReaderHasGoneEndsTheJobWithoutNoise) {
  const CommandResult result =
      shell(run_line("sh -c 'while :; do echo line; done'") + " | head -1; echo ${PIPESTATUS[0]}");
  EXPECT_EQ(result.out, "line\n141\n");
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(eventually([&] { return marked_processes("RINGRUN_TEST_MARK=" + mark_).empty(); }));
}

TEST_F(RingrunStream, ThatNobodyReadsKeepsNoSignalFromBeingHeard) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    for (const auto& [name, value] : kRoot) setenv(name.c_str(), value.c_str(), 1);
    if (freopen("/dev/null", "r", stdin) == nullptr) _exit(1);
    const std::string program = built_program("ringrun");
    execl(program.c_str(), program.c_str(), "-np", "1", "-H", "localhost:1", "yes", nullptr);
    _exit(127);
  }
  close(ends[1]);
  // Until the whole way is full.
  std::this_thread::sleep_for(seconds(3));
  kill(pid, SIGINT);
  int status = 0;
  EXPECT_TRUE(eventually([&] { return waitpid(pid, &status, WNOHANG) == pid; }, seconds(8)));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGINT);
  close(ends[0]);
}

}  // namespace
}  // namespace ringrun::test
