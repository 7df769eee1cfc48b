// run_job with a shell in the engine's place, whose words about ranks are true records.
#include "launcher/run/job_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "launcher/run/rank_record.hpp"
#include "lib/text/shell_word.hpp"
#include "tests/mpi/ringrun_job.hpp"

namespace ringrun::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

/// A shell's command that writes a record of the job "run".
std::string print(const Record& record) {
  std::string octal;
  for (const char c : frame_record("run", record)) {
    const auto byte = static_cast<unsigned char>(c);
    octal += std::string("\\") + static_cast<char>('0' + byte / 64) + static_cast<char>('0' + byte / 8 % 8) +
             static_cast<char>('0' + byte % 8);
  }
  return "printf " + quote_for_shell(octal) + " >&2; ";
}

std::string print_failure(int rank, int code, int error = 0) {
  EndRecord record;
  record.rank = rank;
  record.host = "b";
  record.code = code;
  record.error = error;
  return print(record);
}

class JobProcess : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "ringrun-job-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    command_.ringrun = built_program("ringrun");
    command_.run_id = "run";
  }

  void TearDown() override {
    if (pid_ > 0) kill(pid_, SIGKILL);
    std::filesystem::remove_all(folder_);
  }

  EngineStart engine(const std::string& script) const {
    return {{"/bin/sh", "-c", script}, {{"PATH", "/usr/bin:/bin"}, {"FOLDER", folder_}}};
  }

  /// In a process of its own, as ringrun is one.
  void start(const std::string& script) {
    command_.start = engine(script);
    started_ = std::chrono::steady_clock::now();
    pid_ = fork();
    if (pid_ != 0) return;
    const int output = open((folder_ + "/output").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    _exit(run_job(command_));
  }

  std::string output() const {
    std::ifstream file(folder_ + "/output");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  bool wait_for_output(const std::string& text) const {
    return eventually([&] { return output().find(text) != std::string::npos; });
  }

  int finish() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    elapsed_ = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - started_);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  JobCommand command_;
  std::string folder_;
  pid_t pid_ = -1;
  std::chrono::steady_clock::time_point started_;
  milliseconds elapsed_{0};
};

TEST_F(JobProcess, PastItsTimeoutIsEndedWith124) {
  command_.timeout = seconds(1);
  start("sleep 30");
  EXPECT_EQ(finish(), 124);
  EXPECT_LT(elapsed_, seconds(5));
  EXPECT_EQ(output(), "ringrun: the job has taken longer than 1 s (--timeout) and is ended\n");
}

TEST_F(JobProcess, IsStartedAgainAfterAFailedRankAsOftenAsItMayBe) {
  const std::string fails_twice =
      "n=$(cat $FOLDER/n 2>/dev/null || echo 0); echo $((n + 1)) > $FOLDER/n; [ $n = 2 ] && exit 0; ";
  command_.max_restarts = 3;
  command_.renew = [&](int restart) {
    return engine("echo restart " + std::to_string(restart) + "; " + fails_twice + print_failure(2, 3) + "exit 3");
  };
  start(fails_twice + print_failure(2, 3) + "exit 3");
  EXPECT_EQ(finish(), 0);
  const std::string report = "ringrun: rank 2 on b: exited with code 3\n";
  EXPECT_EQ(output(), report + "ringrun: restart 1 of 3: rank 2 on b exited with code 3\nrestart 1\n" + report +
                          "ringrun: restart 2 of 3: rank 2 on b exited with code 3\nrestart 2\n");
}

TEST_F(JobProcess, EndsWithTheCodeOfItsLastAttempt) {
  command_.max_restarts = 1;
  command_.renew = [&](int) { return engine(print_failure(1, 4) + "exit 4"); };
  start(print_failure(2, 3) + "exit 3");
  EXPECT_EQ(finish(), 4);
}

TEST_F(JobProcess, IsNotStartedAgainWhereTheProgramCannotStartOrTheUserEndsIt) {
  command_.max_restarts = 1;
  command_.renew = [&](int) { return engine("echo again"); };
  start(print_failure(2, 0, ENOENT) + "exit 127");
  EXPECT_EQ(finish(), 127);
  EXPECT_THAT(output(), Not(HasSubstr("again")));
  start("fail() { " + print_failure(2, 3) + "exit 3; }; trap fail INT; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(wait_for_output("ready"));
  kill(pid_, SIGINT);
  EXPECT_EQ(finish(), 130);
  EXPECT_EQ(output(), "ready\n");
}

TEST_F(JobProcess, ThatDoesNotStartIsWarnedOfAndEndedWithHostAndStage) {
  command_.hosts = {{"a", {}, 1, true}, {"b", {"192.168.1.6"}, 1, false}};
  command_.start_timeout = seconds(6);
  start(print(ShellRecord{1, std::nullopt}) + print(StartRecord{0, 0, 5}) + "exec sleep 30");
  EXPECT_EQ(finish(), 3);
  EXPECT_GE(elapsed_, seconds(6));
  EXPECT_LT(elapsed_, seconds(10));
  EXPECT_THAT(output(), HasSubstr("ringrun: warning: no rank has started yet; stage daemon: mpirun's daemon was "
                                  "started on b and has not connected"));
  EXPECT_THAT(output(), HasSubstr("ringrun: the job did not start within 6 s (--start-timeout) and is ended; "));
}

TEST_F(JobProcess, ThatHasStartedMayTakeItsTime) {
  command_.hosts = {{"a", {}, 1, true}};
  command_.start_timeout = seconds(1);
  start(print(StartRecord{0, 0, 5}) + "sleep 2");
  EXPECT_EQ(finish(), 3);  // Its rank has not ended.
  EXPECT_THAT(output(), Not(HasSubstr("--start-timeout")));
  EXPECT_GE(elapsed_, seconds(2));
}

TEST_F(JobProcess, IsEndedByForceAtTheSecondCtrlC) {
  start("trap '' INT TERM; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(wait_for_output("ready"));
  kill(pid_, SIGINT);
  std::this_thread::sleep_for(milliseconds(300));
  const auto second = std::chrono::steady_clock::now();
  kill(pid_, SIGINT);
  EXPECT_EQ(finish(), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - second, seconds(3));
}

TEST_F(JobProcess, AnswersQuitByEndingTheEngineOrderly) {
  start("trap 'echo ended; exit 1' TERM; trap 'echo quit' QUIT; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(wait_for_output("ready"));
  kill(pid_, SIGQUIT);
  EXPECT_EQ(finish(), 131);
  EXPECT_EQ(output(), "ready\nended\n");
}

TEST_F(JobProcess, StopsAndGoesOnWithItsEngine) {
  start("trap 'echo stop' TSTP; trap 'echo on; exit 0' CONT; echo ready; while :; do sleep 0.05; done");
  ASSERT_TRUE(wait_for_output("ready"));
  kill(pid_, SIGTSTP);
  int status = 0;
  ASSERT_EQ(waitpid(pid_, &status, WUNTRACED), pid_);
  EXPECT_TRUE(WIFSTOPPED(status));
  // It reads nothing meanwhile.
  std::this_thread::sleep_for(milliseconds(300));
  kill(pid_, SIGCONT);
  EXPECT_EQ(finish(), 0);
  EXPECT_EQ(output(), "ready\nstop\non\n");
}

}  // namespace
}  // namespace ringrun::test
