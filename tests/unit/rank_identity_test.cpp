#include "launcher/run/rank_identity.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Variables = std::map<std::string, std::string>;

RankIdentity identity_from(const Variables& variables, const JobPlan& plan = {}) {
  return read_rank_identity(plan, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

void expect_equal(const RankIdentity& is, const RankIdentity& expected) {
  EXPECT_EQ(is.rank, expected.rank);
  EXPECT_EQ(is.size, expected.size);
  EXPECT_EQ(is.local_rank, expected.local_rank);
  EXPECT_EQ(is.local_size, expected.local_size);
  EXPECT_EQ(is.host, expected.host);
}

const Variables kOpenMpi = {{"OMPI_COMM_WORLD_RANK", "3"},
                            {"OMPI_COMM_WORLD_SIZE", "4"},
                            {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                            {"RINGRUN_HOST", "1"}};

TEST(RankIdentity, IsOpenMpisAlsoInsideABatchScript) {
  Variables variables = kOpenMpi;
  variables["SLURM_PROCID"] = "0";
  variables["SLURM_NTASKS"] = "9";
  expect_equal(identity_from(variables), {3, 4, 1, 2, 1});
}

TEST(RankIdentity, OfASlurmTaskIsSlurmsWithThePlansPlaceOfItsHost) {
  Variables variables = {{"PMIX_RANK", "5"},        {"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "6"},
                         {"SLURM_LOCALID", "0"},    {"SLURM_NODEID", "2"}, {"SLURM_STEP_TASKS_PER_NODE", "3(x2),1"},
                         {"SLURMD_NODENAME", "n2"}, {"RINGRUN_HOST", "9"}};
  JobPlan plan;
  plan.nodes = {"m[1-3]", "n[1-2]", "n9"};
  expect_equal(identity_from(variables, plan), {5, 6, 0, 1, 4});
  plan.nodes = {"n9", "n2", "n1"};
  expect_equal(identity_from(variables, plan), {5, 6, 0, 1, 1});
  variables["SLURM_NODEID"] = "1";
  variables["SLURMD_NODENAME"] = "n1";
  expect_equal(identity_from(variables, plan), {5, 6, 0, 3, 2});
  variables["SLURM_STEP_TASKS_PER_NODE"] = "3,2";
  expect_equal(identity_from(variables, plan), {5, 6, 0, 2, 2});
}

TEST(RankIdentity, OnALaunchingHostThatIsNoSlurmNodeIsRingrunsOwn) {
  JobPlan plan;
  plan.nodes = {"n1", "n2"};
  expect_equal(identity_from(kOpenMpi, plan), {3, 4, 1, 2, 1});
}

TEST(RankIdentity, ThatIsMissingOrNoNumberIsNamed) {
  EXPECT_EQ(problem_of([] { identity_from({}); }), "ringrun __rank: OMPI_COMM_WORLD_RANK is not set");
  Variables variables = kOpenMpi;
  variables["RINGRUN_HOST"] = "x";
  EXPECT_EQ(problem_of([&] { identity_from(variables); }), "ringrun __rank: RINGRUN_HOST='x' is not a number");
}

TEST(RankEnvironment, ShowsARankItsOwnGpuAloneWhereThatIsPlanned) {
  HostClass host;
  host.environment["CUDA_VISIBLE_DEVICES"] = "4,7";
  host.rows = {{4, "", ""}, {7, "", "", "7"}};
  const JobPlan plan = make_job_plan({host}, {"127.0.0.1", 29500, "run"});
  // In processes of their own, since it changes the environment.
  const auto visible = [&](int local_rank) {
    set_rank_environment(plan, {local_rank, 2, local_rank, 2, 0});
    std::fputs(std::getenv("CUDA_VISIBLE_DEVICES"), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(visible(0), testing::ExitedWithCode(0), "^4,7$");
  EXPECT_EXIT(visible(1), testing::ExitedWithCode(0), "^7$");
}

}  // namespace
}  // namespace ringrun
