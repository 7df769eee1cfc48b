#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "tests/support/mpirun.hpp"
#include "tests/support/not_sanitized.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;

/// The worker with GPUs that are none, whose large messages are 2.5 times as fast with helper threads.
/// The option with its value: Open MPI 4.1 takes a word --tune behind the program's name for its own.
CommandResult tune(int ranks, const std::vector<std::string>& options, const std::map<std::string, std::string>& env) {
  std::vector<std::string> program{WORKER_WITH_STAND_IN};
  program.insert(program.end(), options.begin(), options.end());
  return mpirun(ranks, program, {.env = env});
}

class TemporaryFile {
 public:
  TemporaryFile() : path_(std::filesystem::temp_directory_path() / ("ringrun-tune-" + std::to_string(getpid()))) {
    std::filesystem::remove(path_);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Gone, or waiting for nobody but its parent.
bool ends_within(pid_t pid, seconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < deadline) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    if (!(in >> number >> name >> state) || state == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

std::string tune_for(int budget_s) { return "--tune=" + std::to_string(budget_s * kSlowdown) + "s"; }

TEST(WorkerTune, RecommendsWhatIsFasterForTheMessagesThatItIsFasterFor) {
  const TemporaryFile file;
  const auto run = tune(2, {tune_for(5), "-J", file.path()}, {});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.elapsed, Lt(seconds(9) * kSlowdown));
  EXPECT_THAT(run.out, HasSubstr("# Ranks are joined by NET/Socket\n"));
  EXPECT_THAT(run.out, ContainsRegex("# small \\(up to 4K\\): keep what is set"));
  EXPECT_THAT(run.out,
              ContainsRegex("# large \\(4M and more\\): NCCL_SOCKET_NTHREADS=[124] NCCL_NSOCKS_PERTHREAD=[124]\n"
                            " *2\\.[0-9]+ times as fast as it is, at least [0-9.]+ beyond noise .*; small 0\\.7"));
  EXPECT_THAT(run.out, ContainsRegex("hostfile, a line of its own: +#: env\\.NCCL_SOCKET_NTHREADS=[124] "
                                     "env\\.NCCL_NSOCKS_PERTHREAD=[124]\n"));
  EXPECT_THAT(run.out, ContainsRegex("plain mpirun: +-x NCCL_SOCKET_NTHREADS=[124] -x NCCL_NSOCKS_PERTHREAD=[124]\n"));
  std::ifstream in(file.path());
  const auto json = nlohmann::json::parse(in, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  ASSERT_EQ(json["classes"].size(), 3u);
  EXPECT_TRUE(json["classes"][0]["recommended"].is_null());
  const std::size_t winner = json["classes"][2]["recommended"];
  EXPECT_NEAR(json["settings"][winner]["effects"]["large"]["speed"], 2.5, 0.15);
  EXPECT_EQ(json["settings"][winner]["effects"]["small"]["effect"], "slower");
  EXPECT_EQ(json["settings"].size(), 5u);
}

TEST(WorkerTune, GoesOnBehindASettingWhoseProcessDiesAnswersGarbageOrFails) {
  const std::pair<const char*, const char*> faults[] = {
      {"die", "process 1 on .*: ended by signal 6 \\(Aborted\\)"},
      {"garbage", "process 1 on .*: answered what is no answer"},
      {"throw", "process 1 on .*an error of its own.*; NCCL: no such thing"}};
  for (const auto& [fault, words] : faults) {
    const auto run = tune(3, {tune_for(6)}, {{"STAND_IN_FAULT", fault}});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, ContainsRegex(std::string("# FAILED with NCCL_SOCKET_NTHREADS=4 [A-Z_=4]+: ") + words));
    EXPECT_THAT(run.out, ContainsRegex("NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4 +failed +failed +failed"));
    EXPECT_THAT(run.out, HasSubstr("# large (4M and more): NCCL_SOCKET_NTHREADS="));
    EXPECT_THAT(run.elapsed, Lt(seconds(12) * kSlowdown));
  }
}

TEST(WorkerTune, EndsATrialThatHangsAndGoesOn) {
  const auto run = tune(2, {tune_for(12)}, {{"STAND_IN_FAULT", "hang"}});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              ContainsRegex("# FAILED with NCCL_SOCKET_NTHREADS=4 .*: process [01] on .*: did not end in time"));
  EXPECT_THAT(run.out, HasSubstr("# large (4M and more): NCCL_SOCKET_NTHREADS="));
  EXPECT_THAT(run.elapsed, Lt(seconds(18) * kSlowdown));
}

TEST(WorkerTune, LeavesNoProcessBehindWhereItIsKilledInATrial) {
  const TemporaryFile pid_file;
  const auto run = mpirun(2,
                          {"sh", "-c",
                           "if [ $OMPI_COMM_WORLD_RANK = 1 ]; then (while [ ! -s $STAND_IN_PIDS ]; do sleep 0.1; done; "
                           "kill -KILL $$) & fi; exec " WORKER_WITH_STAND_IN " --tune"},
                          {.env = {{"STAND_IN_FAULT", "hang"}, {"STAND_IN_PIDS", pid_file.path()}}});
  EXPECT_EQ(run.exit_code, 137) << run.err;
  std::ifstream in(pid_file.path());
  pid_t pid = 0;
  ASSERT_TRUE(in >> pid);
  EXPECT_TRUE(ends_within(pid, seconds(5)));
}

TEST(WorkerTune, TellsWhatIsKnownWhereItIsInterrupted) {
  const auto run = mpirun(2, {"sh", "-c",
                              "if [ $OMPI_COMM_WORLD_RANK = 0 ]; then (sleep " + std::to_string(5 * kSlowdown) +
                                  "; kill -INT $$) & fi; exec " WORKER_WITH_STAND_IN " --tune"});
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.out, ContainsRegex("# PARTIAL: ended by SIGINT after [0-9]+ round"));
  EXPECT_THAT(run.out, HasSubstr("# large (4M and more): NCCL_SOCKET_NTHREADS="));
  EXPECT_THAT(run.elapsed, Lt(seconds(12) * kSlowdown));
}

TEST(WorkerTune, SaysWhyThereIsNothingToTune) {
  const auto by_nvlink = tune(2, {"--tune"}, {{"STAND_IN_WAY", "P2P/CUMEM"}});
  EXPECT_EQ(by_nvlink.exit_code, 0) << by_nvlink.err;
  EXPECT_THAT(by_nvlink.out, AllOf(HasSubstr("# Ranks are joined by P2P\n"),
                                   HasSubstr("# Nothing to tune here: no rank reaches another one by a network")));
  const auto alone = tune(1, {"--tune"}, {});
  EXPECT_EQ(alone.exit_code, 5);
  EXPECT_THAT(alone.err, HasSubstr("--tune: one rank sends nothing"));
  const auto on_hosts = tune(2, {"--backend", "mpi", "--tune"}, {});
  EXPECT_EQ(on_hosts.exit_code, 5);
  EXPECT_THAT(on_hosts.err, HasSubstr("MPI on host memory"));
  EXPECT_THAT(on_hosts.out, Not(HasSubstr("#")));
}

TEST(WorkerTune, TellsThatTheTimeWasTooShort) {
  const auto run = tune(2, {"--tune=0.05s"}, {});
  EXPECT_THAT(run.out + run.err, testing::AnyOf(HasSubstr("too few to tell a gain from noise"), HasSubstr("in time")));
  EXPECT_THAT(run.elapsed, Lt(seconds(10)));
}

}  // namespace
}  // namespace ringrun::test
