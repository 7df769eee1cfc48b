#include "lib/placement/job_plan.hpp"

#include <gtest/gtest.h>

#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

HostClass eight_gpus() {
  HostClass host;
  for (int i = 0; i < 8; ++i) {
    host.rows.push_back({i, std::to_string(14 * i) + "-" + std::to_string(14 * i + 13), std::to_string(i / 4)});
  }
  host.rows[7].visible_devices = "7";
  host.defaults["OMP_NUM_THREADS"] = "1";
  return host;
}

TEST(JobPlan, TenThousandAlikeHostsAreAsSmallAsTwo) {
  std::vector<HostClass> hosts(10000, eight_gpus());
  const std::size_t two = to_json(make_job_plan({hosts[0], hosts[1]}, {"192.168.1.5", 29500, "x"})).size();
  const std::size_t many = to_json(make_job_plan(hosts, {"192.168.1.5", 29500, "x"})).size();
  EXPECT_LE(many, two + 8);
  EXPECT_LE(many, 8192u);
}

TEST(JobPlan, TheMostCommonClassIsTheDefaultAndOthersAreRanges) {
  HostClass odd;
  odd.environment["NIC"] = "eth1";
  const JobPlan plan = make_job_plan({odd, odd, eight_gpus(), eight_gpus(), eight_gpus(), eight_gpus(), odd}, {});
  ASSERT_EQ(plan.exceptions.size(), 2u);
  EXPECT_EQ(plan.exceptions[0].last, 1);
  EXPECT_EQ(class_of(plan, 0), odd);
  EXPECT_EQ(class_of(plan, 1), odd);
  EXPECT_EQ(class_of(plan, 2), eight_gpus());
  EXPECT_EQ(class_of(plan, 4), eight_gpus());
  EXPECT_EQ(class_of(plan, 6), odd);
  EXPECT_THROW(class_of(plan, 7), std::out_of_range);
}

TEST(JobPlan, StaysSmallWhereHostsOfThreeClassesAlternate) {
  std::vector<HostClass> kinds(3, eight_gpus());
  kinds[1].environment["NIC"] = "eth1";
  kinds[2].environment["NIC"] = "eth2";
  std::vector<HostClass> hosts;
  for (std::size_t i = 0; i < 10000; ++i) hosts.push_back(kinds[i * i % 7 % 3]);
  const std::string text = to_json(make_job_plan(hosts, {"192.168.1.5", 29500, "x"}));
  EXPECT_LE(text.size(), 8192u);
  const JobPlan read = job_plan_from_json(text);
  for (int host = 0; host < 10000; ++host)
    ASSERT_EQ(class_of(read, host), hosts[static_cast<std::size_t>(host)]) << host;
}

TEST(JobPlan, OfSeventyClassesAndOfAsManyAsHostsIsRead) {
  for (const std::size_t count : {std::size_t{70}, std::size_t{10000}}) {
    std::vector<HostClass> kinds(count, eight_gpus());
    for (std::size_t i = 0; i < count; ++i) {
      kinds[i].environment["NCCL_DEBUG"] = "WARN";
      kinds[i].environment["NIC"] = "eth" + std::to_string(i);
    }
    std::vector<HostClass> hosts;
    for (std::size_t i = 0; i < 10000; ++i) hosts.push_back(kinds[i * i % 9973 % count]);
    const std::string text = to_json(make_job_plan(hosts, {"192.168.1.5", 29500, "x"}));
    EXPECT_LT(text.size(), count == 70 ? 32'000u : 512'000u);
    const JobPlan read = job_plan_from_json(text);
    for (int host = 0; host < 10000; host += 7)
      ASSERT_EQ(class_of(read, host), hosts[static_cast<std::size_t>(host)]) << host;
  }
}

TEST(JobPlan, OfAMapThatIsTooShortOrNamesNoClassIsRefused) {
  std::vector<HostClass> hosts(20, eight_gpus());
  for (std::size_t i = 0; i < hosts.size(); i += 2) hosts[i].environment["NIC"] = "eth1";
  const std::string text = to_json(make_job_plan(hosts, {"192.168.1.5", 29500, "x"}));
  const std::size_t map = text.find("\"map\":\"");
  ASSERT_NE(map, std::string::npos) << text;
  std::string damaged = text;
  damaged.erase(map + 7, 1);
  EXPECT_EQ(problem_of([&] { job_plan_from_json(damaged); }),
            "RINGRUN_PLAN is not a plan: it says no class of host 18");
  damaged = text;
  damaged[map + 7] = '?';
  EXPECT_EQ(problem_of([&] { job_plan_from_json(damaged); }), "RINGRUN_PLAN is not a plan: it says no class of host 0");
}

TEST(JobPlan, SurvivesItsJourney) {
  HostClass odd;
  odd.environment["X"] = "a \"b\"\nc";
  odd.most_ranks = 2;
  JobPlan plan = make_job_plan({eight_gpus(), odd}, {"fd00::2", 29501, "run"});
  plan.output = {true, false, true, "/logs"};
  plan.programs = {{1, {"./a", "x y"}, "/work", {{"A", "1"}}}, {7, {"./b"}, std::nullopt, {}}};
  plan.restart = 2;
  plan.max_restarts = 3;
  plan.nodes = {"a", "b"};
  const JobPlan read = job_plan_from_json(to_json(plan));
  EXPECT_EQ(to_json(read), to_json(plan));
  EXPECT_EQ(class_of(read, 1), odd);
  EXPECT_EQ(read.output, plan.output);
  EXPECT_EQ(read.programs, plan.programs);
  EXPECT_EQ(read.nodes, plan.nodes);
  EXPECT_EQ(rank_environment(read, {0, 1, 0, 1, 0}).at("TORCHELASTIC_RESTART_COUNT"), "2");
  EXPECT_EQ(rank_environment(read, {0, 1, 0, 1, 0}).at("TORCHELASTIC_MAX_RESTARTS"), "3");
}

TEST(JobPlan, GivesEachRankItsProgram) {
  JobPlan plan;
  EXPECT_EQ(program_of(plan, 0), nullptr);
  plan.programs = {{1, {"a"}, {}, {}}, {3, {"b"}, {}, {}}};
  EXPECT_EQ(program_of(plan, 1)->argv[0], "a");
  EXPECT_EQ(program_of(plan, 2)->argv[0], "b");
  EXPECT_EQ(program_of(plan, 4), nullptr);
}

TEST(JobPlan, OfAnotherVersionOrNoneIsRefused) {
  EXPECT_EQ(problem_of([] { job_plan_from_json("{\"schema\":1}"); }), "RINGRUN_PLAN is of another version of ringrun");
  EXPECT_NE(problem_of([] { job_plan_from_json("{"); }), "");
  EXPECT_NE(problem_of([] { job_plan_from_json("{\"schema\":5}"); }), "");
  const std::string no_rows = R"({"schema":5,"hosts":1,"classes":[{"rows":1}],"rows":[[]],"environment":{}})";
  EXPECT_EQ(problem_of([&] { job_plan_from_json(no_rows); }), "RINGRUN_PLAN is not a plan: a class without rows");
}

TEST(RankEnvironment, IsTorchrunsContract) {
  const JobPlan plan = make_job_plan({eight_gpus(), eight_gpus()}, {"192.168.1.5", 29500, "run"});
  const std::map<std::string, std::string> expected = {{"RANK", "11"},
                                                       {"WORLD_SIZE", "16"},
                                                       {"LOCAL_RANK", "3"},
                                                       {"LOCAL_WORLD_SIZE", "8"},
                                                       {"GROUP_RANK", "1"},
                                                       {"NODE_RANK", "1"},
                                                       {"GROUP_WORLD_SIZE", "2"},
                                                       {"ROLE_RANK", "11"},
                                                       {"ROLE_NAME", "default"},
                                                       {"ROLE_WORLD_SIZE", "16"},
                                                       {"MASTER_ADDR", "192.168.1.5"},
                                                       {"MASTER_PORT", "29500"},
                                                       {"TORCHELASTIC_RUN_ID", "run"},
                                                       {"TORCHELASTIC_RESTART_COUNT", "0"},
                                                       {"TORCHELASTIC_MAX_RESTARTS", "0"}};
  EXPECT_EQ(rank_environment(plan, {11, 16, 3, 8, 1}), expected);
}

}  // namespace
}  // namespace ringrun
