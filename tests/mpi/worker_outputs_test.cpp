// The worker's files, its comparison with an earlier run, and what is left of a run that is ended early.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "tests/support/mpirun.hpp"

namespace ringrun::test {
namespace {

using std::chrono::seconds;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Lt;

/// A folder that is gone with the test.
class WorkerOutputs : public testing::Test {
 protected:
  WorkerOutputs() : folder_(std::filesystem::temp_directory_path() / ("ringrun-outputs-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~WorkerOutputs() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ / name; }
  std::string contents(const std::string& name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

  static CommandResult sweep(std::vector<std::string> options) {
    std::vector<std::string> words{"./worker", "--backend", "mpi", "-b", "1K", "-e", "4K", "-f", "2"};
    words.insert(words.end(), options.begin(), options.end());
    return mpirun(2, words);
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(WorkerOutputs, AreCommaSeparatedValuesAndASummaryLine) {
  const auto run = sweep({"--csv", file("x.csv")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(contents("x.csv"), ContainsRegex("\nall_reduce,0,2,4096,1024,float,sum,-1,in_place,[0-9.]+,[0-9.]+,[0-9.]"
                                               "+,0,"));
  EXPECT_THAT(run.out, ContainsRegex("# Summary: float sum: 1K in [0-9.]+ us, peak busbw [0-9.]+ GB/s at "));
  EXPECT_EQ(run.err, "") << "progress belongs to terminals";
}

TEST_F(WorkerOutputs, AreComparedWithAnEarlierRunAndTheExitCodeSaysWhatBecameSlower) {
  ASSERT_EQ(sweep({"-J", file("old.json")}).exit_code, 0);
  auto old = nlohmann::json::parse(contents("old.json"));
  for (auto& result : old["results"]) {
    for (const char* placement : {"out_of_place", "in_place"}) result[placement]["time"] = 1e6;
  }
  write("slow.json", old.dump());
  const auto faster = sweep({"--baseline", file("slow.json")});
  EXPECT_EQ(faster.exit_code, 0) << faster.err;
  EXPECT_THAT(faster.out, HasSubstr("# Faster: all_reduce 1024 B float sum, out-of-place: "));
  EXPECT_THAT(faster.out, HasSubstr(": 6 measurements compared, 0 not in it; none slower by more than 5 %: OK\n"));
  for (auto& result : old["results"]) result["in_place"]["time"] = 0.001;
  write("fast.json", old.dump());
  const auto slower = sweep({"--baseline", file("fast.json"), "--max-regression", "50%"});
  EXPECT_EQ(slower.exit_code, 7) << slower.err;
  EXPECT_THAT(slower.out, HasSubstr("# Slower: all_reduce 4096 B float sum, in-place: "));
}

class InterruptedSweep : public WorkerOutputs {
 protected:
  /// An endless sweep, behind these words, which is told to end as soon as there is something to tell.
  CommandResult interrupt(const std::string& launcher) {
    const std::string script = launcher + built_program("worker") + " --backend mpi -b 8 -e 64 -f 2 -n 2000 -N 0 -J " +
                               file("partial.json") + " --csv " + file("partial.csv") +
                               " & for try in $(seq 200); do sleep 0.1; test $(wc -l < " + file("partial.csv") +
                               ") -gt 8 && break; done; kill -TERM $!; wait $!";
    return run_command(
        {"sh", "-c", script},
        {.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}, .timeout = seconds(40)});
  }

  void expect_partial_files() {
    const auto json = nlohmann::json::parse(contents("partial.json"), nullptr, false);
    ASSERT_FALSE(json.is_discarded());
    EXPECT_GT(json["results"].size(), 3u);
    EXPECT_THAT(json["errors"][0].get<std::string>(), HasSubstr("partial: ended by SIG"));
  }
};

TEST_F(InterruptedSweep, SaysWhatWasMeasured) {
  const auto run = interrupt("");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.out, ContainsRegex("# PARTIAL: ended by SIGTERM after [0-9]+ rows\n"));
  EXPECT_THAT(run.out, HasSubstr("# Summary: float sum: 8 B in "));
  EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 0 OK"));
  expect_partial_files();
}

// mpirun stops reading soon after its own SIGTERM, so the table's last lines may be missing there; the files are whole.
TEST_F(InterruptedSweep, LeavesWholeFilesUnderMpirun) {
  const auto run = interrupt("mpirun --oversubscribe --bind-to none -np 2 ");
  EXPECT_NE(run.exit_code, 0);
  EXPECT_THAT(run.elapsed, Lt(seconds(38)));
  EXPECT_THAT(contents("partial.csv"), HasSubstr("\nall_reduce,0,2,8,2,float,sum,-1,out_of_place,"));
  expect_partial_files();
}

// The reader of the CSV leaves in the middle of an endless sweep.
TEST_F(WorkerOutputs, HoldWhatWasMeasuredUntilAnErrorEndedTheSweep) {
  const auto run = run_command(
      {"sh", "-c",
       "trap '' PIPE; mkfifo " + file("pipe") + "; head -c 600 " + file("pipe") + " > /dev/null & exec " +
           built_program("worker") + " --backend mpi -b 8 -e 64 -f 2 -n 2 -N 0 --csv " + file("pipe") + " -J " +
           file("x.json")},
      {.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}}, .timeout = seconds(60)});
  EXPECT_EQ(run.exit_code, 6) << run.out << run.err;
  EXPECT_THAT(run.out, ContainsRegex("# PARTIAL: ended by an error after [0-9]+ rows?\n"));
  EXPECT_THAT(run.out, HasSubstr("# Out of bounds values : 0 OK"));
  EXPECT_THAT(run.err, HasSubstr("--csv: cannot write"));
  const auto json = nlohmann::json::parse(contents("x.json"), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_FALSE(json["results"].empty());
  EXPECT_THAT(json["errors"][0].get<std::string>(), HasSubstr("partial: ended by an error"));
}

TEST_F(WorkerOutputs, ThatAreLostAreAnErrorThatSaysWhy) {
  const auto shell = [](const std::string& redirection) {
    return run_command({"sh", "-c", built_program("worker") + " " + redirection});
  };
  const std::string sweep = "--backend mpi -b 8 -e 64 -f 2 -n 1";
  for (const std::string& words : {std::string("--help"), std::string("--version"), sweep, sweep + " --soak 0.1s"}) {
    const auto full = shell(words + " >/dev/full");
    EXPECT_EQ(full.exit_code, 1) << words;
    EXPECT_EQ(full.err, "worker: cannot write to standard output: No space left on device\n") << words;
  }
  const auto closed = shell(sweep + " >&-");
  EXPECT_EQ(closed.exit_code, 1);
  EXPECT_EQ(closed.err, "worker: cannot write to standard output: Bad file descriptor\n");
  EXPECT_EQ(shell(sweep + " --csv /dev/full").exit_code, 6);
  EXPECT_THAT(shell(sweep + " --csv /dev/full").err, HasSubstr("--csv: cannot write /dev/full: No space left on dev"));
}

TEST_F(WorkerOutputs, TellWhereTheReaderOfAPipeLeft) {
  for (const char* option : {"-J", "--csv"}) {
    // The reader takes the first byte alone; what is written after that is more than a pipe holds.
    const auto run = run_command({"sh", "-c",
                                  "mkfifo " + file(option) + "; head -c 1 " + file(option) + " >/dev/null & exec " +
                                      built_program("worker") + " --backend mpi -b 8 -e 64K -i 8 -n 1 -c 0 -w 0 " +
                                      option + " " + file(option)});
    EXPECT_EQ(run.exit_code, 6) << option;
    EXPECT_THAT(run.err, HasSubstr(std::string(option) + ": cannot write " + file(option) + ": its reader has left"));
  }
  // Standard output is everybody's pipe.
  const auto head = run_command({"sh", "-c",
                                 "(" + built_program("worker") +
                                     " --backend mpi -b 8 -e 64K -i 8 -n 1 -c 0 -w 0; echo ended $? >&2) | "
                                     "head -n 1"});
  EXPECT_EQ(head.err, "ended 141\n");
}

TEST_F(WorkerOutputs, HoldWhatASoakHasFound) {
  const auto run = mpirun(2, {"./worker", "--backend", "mpi", "-e", "4K", "--soak", "0.2s", "-J", file("x.json")});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(contents("x.json"), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  const auto& soak = json.at("ringrun").at("soak");
  EXPECT_GT(soak.at("operations"), 0);
  EXPECT_GT(soak.at("bytes"), 0);
  EXPECT_EQ(soak.at("smallest_bytes"), 8);
  EXPECT_EQ(soak.at("okay"), true);
  EXPECT_EQ(soak.at("complete"), true);
}

TEST_F(WorkerOutputs, AreNotComparedWithThoseOfAnotherNumberOfRanks) {
  ASSERT_EQ(sweep({"-J", file("two.json")}).exit_code, 0);
  const auto run = mpirun(1, {"./worker", "--backend", "mpi", "-b", "1K", "-e", "1K", "--baseline", file("two.json")});
  EXPECT_EQ(run.exit_code, 6);
  EXPECT_THAT(run.err, HasSubstr("two.json is of 2 ranks, and this job has 1"));
}

TEST_F(WorkerOutputs, NeedABaselineThatCanBeRead) {
  const auto none = sweep({"--baseline", file("none.json")});
  EXPECT_EQ(none.exit_code, 6);
  EXPECT_THAT(none.err, HasSubstr("--baseline: cannot read"));
}

}  // namespace
}  // namespace ringrun::test
