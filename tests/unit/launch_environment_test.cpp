#include "lib/mpi/launch_environment.hpp"

#include <gtest/gtest.h>

#include <map>

namespace ringrun::mpi {
namespace {

LaunchEnvironment read(const std::map<std::string, std::string>& variables) {
  return read_launch_environment([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(LaunchEnvironment, TellsTheRanksOfALineWithSeveralPrograms) {
  const auto place = [](const char* rank, const char* ranks) {
    return read({{"OMPI_COMM_WORLD_RANK", rank}, {"OMPI_APP_CTX_NUM_PROCS", ranks}}).rank_of_program;
  };
  EXPECT_EQ(place("0", "1 2"), 0);
  EXPECT_EQ(place("1", "1 2"), 0);
  EXPECT_EQ(place("2", "1 2"), 1);
  EXPECT_EQ(place("3", "1 2"), std::nullopt);
  EXPECT_EQ(read({{"PMI_RANK", "1"}}).rank_of_program, std::nullopt);
}

TEST(LaunchEnvironment, IsThatOfMpirunEvenWhereAShellExportsAnOlderRank) {
  const auto found = read({{"OMPI_COMM_WORLD_RANK", "3"},
                           {"OMPI_COMM_WORLD_SIZE", "4"},
                           {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                           {"RANK", "7"},
                           {"LOCAL_RANK", "7"}});
  EXPECT_EQ(found.rank, 3);
  EXPECT_EQ(found.size, 4);
  EXPECT_EQ(found.local_rank, 1);
}

TEST(LaunchEnvironment, IsEmptyInAPlainShellAndInABatchScriptThatStartedNoStep) {
  EXPECT_FALSE(read({}).rank);
  const auto batch = read({{"SLURM_PROCID", "0"}, {"SLURM_LOCALID", "0"}, {"SLURM_NTASKS", "8"}});
  EXPECT_FALSE(batch.rank);
  EXPECT_FALSE(batch.size);
  EXPECT_FALSE(batch.local_rank);
}

TEST(LaunchEnvironment, IsSlurmsInsideAStep) {
  const auto found = read({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}, {"SLURM_LOCALID", "1"}});
  EXPECT_EQ(found.rank, 5);
  EXPECT_EQ(found.size, 8);
  EXPECT_EQ(found.local_rank, 1);
}

TEST(LaunchEnvironment, KnowsTheTasksOnItsNodeInSlurmsShortForm) {
  const auto local_size = [](const std::string& node) {
    return read({{"SLURM_STEP_NUM_TASKS", "8"},
                 {"SLURM_PROCID", "5"},
                 {"SLURM_STEP_NUM_NODES", "4"},
                 {"SLURM_STEP_TASKS_PER_NODE", "2(x3),1"},
                 {"SLURM_NODEID", node}})
        .local_size;
  };
  EXPECT_EQ(local_size("2"), 2);
  EXPECT_EQ(local_size("3"), 1);
}

TEST(LaunchEnvironment, NamesTheEnginesJob) {
  const auto job = [](const std::map<std::string, std::string>& variables) {
    return engine_job([&](const char* name) -> const char* {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  };
  EXPECT_EQ(job({{"PMIX_NAMESPACE", "prterun-a-1@1"}, {"SLURM_JOB_ID", "7"}}), "prterun-a-1@1");
  EXPECT_EQ(job({{"SLURM_JOB_ID", "7"}, {"SLURM_STEP_ID", "0"}}), "7.0");
  EXPECT_EQ(job({}), "");
}

TEST(LaunchEnvironment, DoesNotTakeWorldSizeFromAContainerThatNobodyLaunchedIn) {
  EXPECT_FALSE(read({{"WORLD_SIZE", "2"}, {"RANK", "1"}}).size);
  EXPECT_EQ(read({{"WORLD_SIZE", "2"}, {"RANK", "1"}, {"TORCHELASTIC_RUN_ID", "x"}}).size, 2);
}

TEST(LaunchEnvironment, TellsAJobOfOneHostFromOneThatMaySpanMore) {
  const auto job = [](const std::string& size, const std::string& local_size) {
    return read(
        {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", size}, {"OMPI_COMM_WORLD_LOCAL_SIZE", local_size}});
  };
  EXPECT_TRUE(job("4", "2").may_span_hosts());
  EXPECT_FALSE(job("2", "2").may_span_hosts());
  EXPECT_FALSE(read({}).may_span_hosts());
  EXPECT_TRUE(read({{"PMIX_RANK", "0"}}).may_span_hosts());
  EXPECT_FALSE(
      read({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_NODES", "1"}}).may_span_hosts());
  EXPECT_TRUE(
      read({{"SLURM_STEP_NUM_TASKS", "8"}, {"SLURM_PROCID", "5"}, {"SLURM_STEP_NUM_NODES", "2"}}).may_span_hosts());
}

TEST(LaunchEnvironment, KnowsThatRingrunStartedIt) {
  EXPECT_FALSE(read({{"OMPI_COMM_WORLD_RANK", "0"}}).by_ringrun);
  EXPECT_FALSE(read({{"OMPI_COMM_WORLD_RANK", "0"}, {"TORCHELASTIC_RUN_ID", "4711"}}).by_ringrun);
  EXPECT_TRUE(read({{"OMPI_COMM_WORLD_RANK", "0"}, {"TORCHELASTIC_RUN_ID", "ringrun-8888-1"}}).by_ringrun);
}

TEST(LaunchEnvironment, IgnoresWhatIsNoNumber) { EXPECT_FALSE(read({{"OMPI_COMM_WORLD_RANK", "two"}}).rank); }

}  // namespace
}  // namespace ringrun::mpi
