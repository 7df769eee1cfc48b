#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "tests/mpi/ringrun_job.hpp"
#include "tests/support/command.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

TEST(RingrunJob, EachRankFindsTorchrunsContract) {
  const CommandResult result =
      ringrun({"-np", "2", "-H", "localhost:2", "--master-port", "29777", "sh", "-c",
               "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $GROUP_RANK $NODE_RANK "
               "$GROUP_WORLD_SIZE $ROLE_RANK $ROLE_NAME $ROLE_WORLD_SIZE $MASTER_ADDR:$MASTER_PORT "
               "$TORCHELASTIC_RESTART_COUNT$TORCHELASTIC_MAX_RESTARTS ${RINGRUN_PLAN:-gone}"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(lines(result.out), UnorderedElementsAre("0 0 2 2 0 0 1 0 default 2 127.0.0.1:29777 00 gone",
                                                      "1 1 2 2 0 0 1 1 default 2 127.0.0.1:29777 00 gone"));
}

TEST(RingrunJob, VariablesTravelAndThoseOfAnOuterJobDoNot) {
  const CommandResult result =
      ringrun({"-np", "1", "-H", "localhost:1", "-x", "A=a b;c,'\"$", "-x", "B*", "sh", "-c",
               "echo \"$A|$B1|$NCCL_DEBUG|$CUDA_DEVICE_ORDER|$RANK|${TORCHELASTIC_USE_AGENT_STORE:-gone}\""},
              {{"B1", "one"},
               {"NCCL_DEBUG", "INFO"},
               {"RANK", "7"},
               {"WORLD_SIZE", "9"},
               {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "a b;c,'\"$|one|INFO|PCI_BUS_ID|0|gone\n");
}

TEST(RingrunJob, ArgumentsArriveAsTheyWereGiven) {
  const CommandResult result =
      ringrun({"-np", "1", "-H", "localhost:1", "sh", "-c", "printf '%s|' \"$@\"", "x", "a b", "it's", "\"q\"", "$HOME",
               "", "*", "back\\slash", "--", "-np", ";true", "new\nline"});
  EXPECT_EQ(result.out, "a b|it's|\"q\"|$HOME||*|back\\slash|--|-np|;true|new\nline|");
}

TEST(RingrunJob, StandardInputIsRankZeros) {
  CommandOptions options;
  options.env = kRoot;
  options.input = "hello\n";
  EXPECT_EQ(run_command({built_program("ringrun"), "-np", "1", "-H", "localhost:1", "cat"}, options).out, "hello\n");
}

TEST(RingrunJob, IsTheSweepWhereNoProgramIsNamedWithAsManyRanksAsAsked) {
  const CommandResult one = ringrun({"-H", "localhost"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("# Collective test starting: all_reduce_perf"));
  const CommandResult two = ringrun({"-np", "2", "--oversubscribe"});
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_THAT(two.out, HasSubstr("#  Rank  1 Group  0"));
}

TEST(RingrunJob, AnExitCodeIsTheJobsAndTheReportNamesTheRank) {
  const CommandResult result =
      ringrun({"-np", "2", "-H", "localhost:2", "sh", "-c", "[ $RANK = 1 ] && exit 3; sleep 30"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, testing::MatchesRegex("ringrun: rank 1 on [^ ]+.*: exited with code 3\n"
                                                "  rank 0 was stopped because of it\n"));
}

TEST(RingrunJob, ASignalIs128MoreAndItsNameIsSaid) {
  const CommandResult result =
      ringrun({"-np", "2", "-H", "localhost:2", "sh", "-c", "[ $RANK = 0 ] && kill -9 $$; sleep 30"});
  EXPECT_EQ(result.exit_code, 137);
  EXPECT_THAT(result.err, testing::MatchesRegex("ringrun: rank 0 on [^ ]+.*: killed by signal 9 \\(SIGKILL\\)\n"
                                                "  rank 1 was stopped because of it\n"));
}

TEST(RingrunJob, AProgramThatIsNoProgramIsSaidOnItsHost) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("ringrun-no-interpreter-" + std::to_string(getpid()));
  std::ofstream(path) << "#!/nowhere/interpreter\n";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const CommandResult result = ringrun({"-np", "1", "-H", "localhost:1", path});
  std::filesystem::remove(path);
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("cannot start " + path + ": No such file or directory"));
}

TEST(RingrunJob, ARankMayLaunchAJobOfItsOwn) {
  const CommandResult result = ringrun({"-np", "1", "-H", "localhost:1", built_program("ringrun"), "-np", "2", "-H",
                                        "localhost:2", "sh", "-c", "echo $RANK/$WORLD_SIZE"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(lines(result.out), UnorderedElementsAre("0/2", "1/2"));
}

TEST(RingrunJob, ARankMayOutliveAFailedJobOfItsOwn) {
  // Longer than an engine may take to end after one of its own ranks has failed.
  const CommandResult result =
      ringrun({"-np", "1", "-H", "localhost:1", "sh", "-c",
               built_program("ringrun") + " -np 1 -H localhost:1 false; echo $?; sleep 12; echo done"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "1\ndone\n");
  EXPECT_THAT(result.err, HasSubstr("ringrun: rank 0 on "));
}

TEST(RingrunJob, ARankThatFailsAloneIsNotTakenForAStoppedOne) {
  const CommandResult result = ringrun({"-np", "3", "-H", "localhost:3", "sh", "-c",
                                        "[ $RANK = 2 ] && exit 0; sleep 0.5; [ $RANK = 1 ] && exit 3; sleep 30"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, testing::EndsWith("exited with code 3\n  rank 0 was stopped because of it\n"));
}

TEST(RingrunJob, TheLastWordsOfTheRankThatFailedAreFoundAmongThoseOfOthers) {
  const CommandResult result = ringrun(
      {"-np", "2", "-H", "localhost:2", "sh", "-c",
       "if [ $RANK = 1 ]; then echo the reason >&2; sleep 0.5; exit 3; fi\n"
       "sleep 0.3; for i in 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3; do echo noise >&2; done; sleep 30"});
  EXPECT_THAT(result.err, HasSubstr(": exited with code 3\n  its last words:\n    the reason\n  rank 0 was stopped"));
}

TEST(RingrunJob, AWrapperOrReaperThatWasKilledIsNotSilent) {
  // The program's parent is the reaper, whose parent is the wrapper that the engine started.
  for (const char* victim : {"$PPID", "$(cut -d' ' -f4 /proc/$PPID/stat)"}) {
    const CommandResult result = ringrun({"-np", "2", "-H", "localhost:2", "sh", "-c",
                                          std::string("[ $RANK = 1 ] && kill -9 ") + victim + "; sleep 30"});
    EXPECT_EQ(result.exit_code, 137) << victim;
    EXPECT_THAT(result.err, HasSubstr("signal 9")) << victim;
  }
}

/// A running job of two ranks, each a shell with a child of its own.
class RunningJob : public testing::Test {
 protected:
  void start(const std::string& script = "sleep 300; true") {
    mark_ = "RINGRUN_TEST_MARK=" + std::to_string(getpid()) + "." +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    const std::string program = built_program("ringrun");
    pid_ = fork();
    ASSERT_GE(pid_, 0);
    if (pid_ == 0) {
      putenv(mark_.data());
      for (const auto& [name, value] : kRoot) setenv(name.c_str(), value.c_str(), 1);
      if (freopen("/dev/null", "r", stdin) == nullptr) _exit(1);
      execl(program.c_str(), program.c_str(), "-np", "2", "-H", "localhost:2", "sh", "-c", script.c_str(), nullptr);
      _exit(127);
    }
    ASSERT_TRUE(eventually([&] { return named("sleep").size() == 2; })) << "the job did not start";
  }

  void TearDown() override {
    for (const pid_t pid : marked_processes(mark_)) kill(pid, SIGKILL);
  }

  std::set<pid_t> named(const std::string& program) const {
    std::set<pid_t> found;
    for (const pid_t pid : marked_processes(mark_)) {
      if (program_of(pid) == program) found.insert(pid);
    }
    return found;
  }

  /// Open MPI 5's mpirun becomes prterun.
  pid_t engine() const {
    for (const char* name : {"mpirun", "prterun"}) {
      const std::set<pid_t> found = named(name);
      if (found.size() == 1) return *found.begin();
    }
    ADD_FAILURE() << "no engine is running";
    return 0;
  }

  int wait_for_end() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  bool nothing_is_left() const {
    return eventually([&] { return marked_processes(mark_).empty(); });
  }

  std::string mark_;
  pid_t pid_ = -1;
};

TEST_F(RunningJob, SigkillOfRingrunLeavesNoProcess) {
  start();
  kill(pid_, SIGKILL);
  EXPECT_EQ(wait_for_end(), 137);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(RunningJob, SigkillOfMpirunLeavesNoProcess) {
  start();
  const pid_t mpirun = engine();
  ASSERT_NE(mpirun, 0);
  kill(mpirun, SIGKILL);
  EXPECT_EQ(wait_for_end(), 137);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(RunningJob, SigkillOfBothLeavesNoProcessEvenWhereRanksIgnoreSignals) {
  start("trap '' TERM INT HUP; sleep 300; true");
  const pid_t mpirun = engine();
  ASSERT_NE(mpirun, 0);
  kill(pid_, SIGKILL);
  kill(mpirun, SIGKILL);
  wait_for_end();
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(RunningJob, IntTermAndHupEndItWith128More) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    start();
    kill(pid_, signal);
    EXPECT_EQ(wait_for_end(), 128 + signal);
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST_F(RunningJob, AnEngineThatDoesNotAnswerIsKilledAfterAWhile) {
  start();
  const pid_t mpirun = engine();
  ASSERT_NE(mpirun, 0);
  kill(mpirun, SIGSTOP);
  kill(pid_, SIGTERM);
  EXPECT_EQ(wait_for_end(), 143);
  EXPECT_TRUE(nothing_is_left());
}

TEST_F(RunningJob, AUserSignalReachesEachRankOnce) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ringrun-usr1-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  start("n=0; trap 'n=$((n+1)); echo $n > " + folder.string() + "/$RANK' USR1; sleep 300 & while :; do wait; done");
  kill(pid_, SIGUSR1);
  const auto count = [&](const char* rank) {
    int value = 0;
    std::ifstream(folder / rank) >> value;
    return value;
  };
  EXPECT_TRUE(eventually([&] { return count("0") == 1 && count("1") == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_EQ(count("0"), 1);
  EXPECT_EQ(count("1"), 1);
  kill(pid_, SIGTERM);
  EXPECT_EQ(wait_for_end(), 143);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace ringrun::test
