// What the worker does about its own placement, and says of it, on a machine whose driver shows two GPUs: by plain
// mpirun, and by ringrun.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>

#include "tests/support/cannot_run.hpp"
#include "tests/support/mpirun.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kWhole = " +0[,-][0-9,-]* ";

class WorkerPlacement : public testing::Test {
 protected:
  void SetUp() override {
    cpu_set_t mask;
    const bool is_read = sched_getaffinity(0, sizeof mask, &mask) == 0;
    if (!is_read || CPU_COUNT(&mask) < 2 || !CPU_ISSET(0, &mask) || !CPU_ISSET(1, &mask))
      RINGRUN_CANNOT_RUN("processors 0 and 1 are not both to be used");
    if (std::filesystem::exists("/dev/nvidia0")) GTEST_SKIP() << "the sweep would be of this machine's own GPUs";
  }

  static CommandResult run(std::vector<std::string> command, bool gpus = true) {
    CommandOptions options;
    options.cwd = RINGRUN_BIN_DIR;
    options.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}};
    if (gpus) options.env["LD_LIBRARY_PATH"] = RINGRUN_TWO_GPUS;
    for (const char* word : {"./worker", "-b", "8", "-e", "8", "-n", "1", "--report-bindings"})
      command.emplace_back(word);
    return run_command(command, options);
  }

  /// The row of a rank in the report, as a pattern.
  static std::string row(int rank, const std::string& rest) {
    return "\n#  +" + std::to_string(rank) + " +[^ ]+ " + rest;
  }
};

TEST_F(WorkerPlacement, WidensTheDefaultOfMpirunFromACoreToTheRanksShare) {
  const auto result = run({"mpirun", "-np", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_right_rows(result.out, 8, 8);
  EXPECT_THAT(result.out, HasSubstr("# Placement: a share of the CPUs"));
  EXPECT_THAT(result.out, HasSubstr(", instead of mpirun's default (core)"));
  EXPECT_THAT(result.out, ContainsRegex(row(0, kWhole)));
}

TEST_F(WorkerPlacement, OfAProcessThatNobodyLaunchedIsTheSame) {
  const auto alone = run({});
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_THAT(alone.out, ContainsRegex("# Placement: a share of the CPUs[^\n]*, where nothing was bound"));
  EXPECT_THAT(run({"taskset", "-c", "1"}).out,
              HasSubstr("# Placement: kept as asked for by a program before the worker (taskset, numactl)\n"));
}

TEST_F(WorkerPlacement, SaysOnceWhatAllRanksDid) {
  const auto result = run({"mpirun", "-np", "2"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::size_t first = result.out.find("# Placement");
  EXPECT_NE(first, std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("# Placement", first + 1), std::string::npos) << result.out;
}

TEST_F(WorkerPlacement, KeepsABindingThatWasAskedFor) {
  const auto to_core = run({"mpirun", "-np", "2", "--bind-to", "core"});
  EXPECT_THAT(to_core.out, HasSubstr("# Placement: kept as asked for by --bind-to core\n"));
  EXPECT_THAT(to_core.out, AllOf(ContainsRegex(row(0, " *0 ")), ContainsRegex(row(1, " *1 "))));
  const auto to_none = run({"mpirun", "-np", "1", "--bind-to", "none"});
  EXPECT_THAT(to_none.out, HasSubstr("# Placement: kept as asked for by --bind-to none\n"));
  EXPECT_THAT(to_none.out, ContainsRegex(row(0, kWhole)));
}

TEST_F(WorkerPlacement, KeepsABindingOfAParameterFile) {
  namespace fs = std::filesystem;
  std::string home = (fs::temp_directory_path() / "placement_home.XXXXXX").string();
  ASSERT_NE(mkdtemp(home.data()), nullptr);
  // Open MPI 4's and 5's.
  for (const auto& [file, name] : {std::pair{".openmpi/mca-params.conf", "hwloc_base_binding_policy"},
                                   {".prte/mca-params.conf", "hwloc_default_binding_policy"}}) {
    fs::create_directories((fs::path(home) / file).parent_path());
    std::ofstream(fs::path(home) / file) << name << " = core\n";
  }
  const auto result = run({"env", "HOME=" + home, "mpirun", "-np", "1"});
  EXPECT_THAT(result.out, HasSubstr("# Placement: kept as asked for by --bind-to core\n")) << result.err;
  EXPECT_THAT(result.out, ContainsRegex(row(0, " *0 ")));
  fs::remove_all(home);
}

TEST_F(WorkerPlacement, KeepsABindingBetweenMpirunAndTheWorkerOnAllRanksAlike) {
  // Of rank 1 it is the one that mpirun gave it, too.
  const auto result = run({"mpirun", "-np", "2", "taskset", "-c", "1"});
  EXPECT_THAT(result.out, HasSubstr("# Placement: kept as asked for by a program between mpirun"));
  EXPECT_THAT(result.out, AllOf(ContainsRegex(row(0, " *1 ")), ContainsRegex(row(1, " *1 "))));
}

TEST_F(WorkerPlacement, NeverGoesBeyondWhatMpirunItselfMayUse) {
  const auto result = run({"taskset", "-c", "1", "mpirun", "-np", "1"});
  EXPECT_THAT(result.out, HasSubstr("# Placement: a share of the CPUs"));
  EXPECT_THAT(result.out, ContainsRegex(row(0, " *1 ")));
}

TEST_F(WorkerPlacement, LooksBeyondAShellThatStartsTheWorker) {
  const auto result = run({"mpirun", "-np", "1", "sh", "-c", "\"$0\" \"$@\"; exit $?"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex(row(0, kWhole)));
}

TEST_F(WorkerPlacement, ChangesNothingWithoutAGpu) {
  for (const bool hidden : {true, false}) {
    const auto result =
        hidden ? run({"env", "CUDA_VISIBLE_DEVICES=", "mpirun", "-np", "2"}) : run({"mpirun", "-np", "2"}, false);
    EXPECT_THAT(result.out, Not(HasSubstr("# Placement")));
    EXPECT_THAT(result.out, AllOf(ContainsRegex(row(0, " *0 ")), ContainsRegex(row(1, " *1 "))));
  }
}

TEST_F(WorkerPlacement, IsRingrunsWhereThatStartedIt) {
  const auto result = run({"./ringrun", "--no-preflight", "-np", "2", "--report-bindings"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("# Placement")));
  EXPECT_THAT(result.out, ContainsRegex(row(1, kWhole)));
  // Its own table, and nothing of the engine's, which bound nothing.
  EXPECT_THAT(result.err, ContainsRegex("rank +host +local_rank +gpu"));
  EXPECT_THAT(result.err, Not(HasSubstr("not bound")));
}

TEST_F(WorkerPlacement, IsTheSameWhereRingrunIsCalledMpirun) {
  const auto result = run({"masquerade/mpirun", "-np", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(", instead of mpirun's default (core)"));
  EXPECT_THAT(result.out, ContainsRegex(row(0, kWhole)));
  const auto to_core = run({"masquerade/mpirun", "-np", "1", "--bind-to", "core"});
  EXPECT_THAT(to_core.out, HasSubstr("# Placement: kept as asked for by --bind-to core\n")) << to_core.err;
}

TEST_F(WorkerPlacement, ReportsForRingrunWithoutBeingToldTwice) {
  const auto result = run_command(
      {built_program("ringrun"), "--no-preflight", "-np", "2", "--report-bindings", "./worker", "-b", "8", "-e", "8"},
      {.cwd = RINGRUN_BIN_DIR,
       .env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
               {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
               {"LD_LIBRARY_PATH", RINGRUN_TWO_GPUS}}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("# Bindings, as the ranks have them\n"));
}

TEST_F(WorkerPlacement, ThatIsNotWhatRingrunPlannedIsAnErrorWithRankHostAndRemedy) {
  const auto result = run({"./ringrun", "-np", "2", "taskset", "-c", "1"});
  EXPECT_EQ(result.exit_code, 5) << result.out << result.err;
  EXPECT_THAT(result.err, ContainsRegex("worker: rank 0 on [^ ]+ has CPUs 1, and ringrun planned 0[,-]"));
  EXPECT_THAT(result.err, HasSubstr("ringrun --bind-to none"));
  EXPECT_THAT(result.out, Not(HasSubstr("# Out of bounds values")));
}

TEST_F(WorkerPlacement, OfTheUsersOwnIsRightWhereRingrunIsToldNotToBind) {
  const auto result = run({"./ringrun", "-np", "2", "--bind-to", "none", "taskset", "-c", "1"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ContainsRegex(row(1, " *1 ")));
}

}  // namespace
}  // namespace ringrun::test
