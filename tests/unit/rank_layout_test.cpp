#include "launcher/job/rank_layout.hpp"

#include <gtest/gtest.h>

#include "launcher/cli/parse.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

constexpr LayoutRule kFour = LayoutRule::openmpi4;
constexpr LayoutRule kFive = LayoutRule::openmpi5;
constexpr LayoutRule kList = LayoutRule::list;

/// "x:2,own:1" as hosts with slots; `own` is the launching host.
LayoutRequest request_for(LayoutRule rule, const std::string& hosts, const std::vector<std::string>& options) {
  LayoutRequest request;
  request.rule = rule;
  const LaunchRequest launch = parse_command_line(options);
  request.mapping = launch.engine_options.mapping;
  LayoutProgram program;
  program.ranks = launch.ranks.value_or(0);
  for (std::size_t at = 0; at < hosts.size();) {
    const std::size_t colon = hosts.find(':', at);
    const std::size_t end = std::min(hosts.find(',', at), hosts.size());
    Host host;
    host.name = hosts.substr(at, colon - at);
    const int place = static_cast<int>(request.hosts.size());
    if (host.name == "own") request.own_host = place;
    program.hosts.push_back({place, std::stoi(hosts.substr(colon + 1, end - colon - 1))});
    program.sequence.push_back(place);
    request.hosts.push_back(std::move(host));
    at = end + 1;
  }
  request.programs = {program};
  return request;
}

std::string names(const LayoutRequest& request, const RankLayout& layout) {
  std::string text;
  for (const int host : layout.host_of_rank)
    text += (text.empty() ? "" : " ") + request.hosts[static_cast<std::size_t>(host)].name;
  return layout.certain ? text : "?";
}

std::string laid_out(LayoutRule rule, const std::string& hosts, const std::vector<std::string>& options) {
  const LayoutRequest request = request_for(rule, hosts, options);
  return names(request, lay_out_ranks(request));
}

// What plain mpirun 4.1.4 and 5.0.7 did.
TEST(RankLayout, IsThatOfBothGenerations) {
  struct Case {
    std::string hosts;
    std::vector<std::string> options;
    std::string ranks;
  };
  const std::string three = "x:2,own:2,y:3";
  const std::vector<Case> cases = {
      {three, {}, "own own x x y y y"},
      {three, {"-np", "3"}, "own own x"},
      {three, {"-np", "4", "--map-by", "node"}, "own x y own"},
      {three, {"--map-by", "node"}, "own x y own x y y"},
      {three, {"-np", "4", "--rank-by", "node"}, "own x own x"},
      {three, {"--map-by", "node", "--rank-by", "slot"}, "own own x x y y y"},
      {three, {"-npernode", "1"}, "own x y"},
      {three, {"-N", "2"}, "own own x x y y"},
      {three, {"-N", "1", "-np", "2"}, "own x"},
      {three, {"--map-by", "ppr:2:node", "-np", "3"}, "own own x"},
      {three, {"--map-by", "seq", "-np", "2"}, "x own"},
      {three, {"--map-by", "core", "-np", "3"}, "own own x"},
      {"x:2,own:1,y:3", {"--map-by", "node", "-np", "5"}, "own x y x y"},
      {"x:2,own:1,y:3", {"--map-by", "node", "-np", "7", "--oversubscribe"}, "own x y own x y own"},
      {"x:4,y:4", {"-N", "2", "--rank-by", "node"}, "x y x y"},
      {"x:1,y:1", {"-N", "2", "--oversubscribe"}, "x x y y"},
      {"x:2,own:2,y:3,z:1", {"--nolocal", "-np", "2"}, "x x"},
  };
  for (const Case& item : cases) {
    std::string typed = item.hosts;
    for (const std::string& word : item.options) typed += " " + word;
    EXPECT_EQ(laid_out(kFour, item.hosts, item.options), item.ranks) << typed;
    EXPECT_EQ(laid_out(kFive, item.hosts, item.options), item.ranks) << typed;
  }
}

TEST(RankLayout, BeyondTheSlotsIsEvenInFourAndAllOnTheFirstHostInFive) {
  const std::string four_hosts = "x:2,own:2,y:3,z:1";
  EXPECT_EQ(laid_out(kFour, four_hosts, {"-np", "9", "--oversubscribe"}), "own own own x x y y y z");
  EXPECT_EQ(laid_out(kFour, four_hosts, {"-np", "13", "--oversubscribe"}), "own own own own x x x y y y y z z");
  EXPECT_EQ(laid_out(kFive, four_hosts, {"-np", "4", "--oversubscribe"}), "own own own own");
  EXPECT_EQ(laid_out(kFive, four_hosts, {"-np", "9", "--map-by", "slot:oversubscribe"}), "own own own x x y y y z");
  EXPECT_EQ(laid_out(kFive, four_hosts, {"-np", "5", "--oversubscribe", "--map-by", "node"}), "own x y z own");
}

TEST(RankLayout, InTheListsOrderHasNoFirstHostOfItsOwn) {
  EXPECT_EQ(laid_out(kList, "x:2,own:2", {}), "x x own own");
  EXPECT_EQ(laid_out(kList, "x:2,own:2", {"--map-by", "node"}), "x own x own");
}

TEST(RankLayout, IsTheEnginesSecretWhereItDependsOnTheMachine) {
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{{"--map-by", "ppr:1:core"},
                                                                                       {"--map-by", "core:span"},
                                                                                       {"--rank-by", "package:span"},
                                                                                       {"--map-by", "dist:a"},
                                                                                       {"--map-by", "slot:pe=2"}})
    EXPECT_EQ(laid_out(kFour, "x:2,own:2", options), "?") << options[1];
  EXPECT_EQ(laid_out(kFive, "x:2,own:2", {"--cpu-set", "0"}), "?");
}

TEST(RankLayout, RefusesWhatHasNoPlace) {
  const auto problem = [](const std::vector<std::string>& options) {
    return problem_of([&] { laid_out(kFour, "x:2,own:1", options); });
  };
  EXPECT_EQ(problem({"-np", "4"}), "-np 4 wants 4 slots, the hosts have 3: own 1, x 2");
  EXPECT_EQ(problem({"-N", "1", "-np", "3"}), "-np 3 is more than 1 ranks on each of 2 hosts");
  EXPECT_NE(problem({"-N", "2"}), "") << "one host has but one slot";
  EXPECT_EQ(problem({"--map-by", "seq"}), "--map-by seq wants a host for each of 3 ranks, and 2 are named");
  EXPECT_EQ(problem_of([] { laid_out(kFour, "own:2", {"--nolocal"}); }), "--nolocal leaves no host");
}

TEST(RankLayout, OfSeveralProgramsGoesOnWhereTheOneBeforeEnded) {
  LayoutRequest request = request_for(kFour, "x:2,own:2,y:3", {});
  const std::vector<HostSlots> all = request.programs[0].hosts;
  const auto programs = [&](const std::vector<LayoutProgram>& list) {
    request.programs = list;
    const RankLayout layout = lay_out_ranks(request);
    EXPECT_EQ(layout.program_ranks.size(), list.size());
    return names(request, layout);
  };
  EXPECT_EQ(programs({{3, all, {}}, {2, all, {}}}), "own own x x y");
  EXPECT_EQ(programs({{0, {{2, 1}}, {}}, {0, {{1, 2}, {0, 1}}, {}}}), "y own own x") << "each on its own hosts";
  request.mapping.by = "node";
  EXPECT_EQ(programs({{2, all, {}}, {3, all, {}}, {1, all, {}}}), "own x own x y y");
  EXPECT_NE(problem_of([&] { programs({{1, {{0, 2}}, {}}, {2, {{0, 2}}, {}}}); }), "");
}

TEST(RankLayout, FollowsARankfile) {
  LayoutRequest request = request_for(kFour, "x:2,own:2", {"-np", "3"});
  request.mapping.by = "rankfile";
  request.rank_rows = parse_rankfile("# ranks\nrank 2=own slot=1\nrank 0 = x slot=0\nrank 1=joe@x slot=1-2\n");
  EXPECT_EQ(names(request, lay_out_ranks(request)), "x x own");
  request.programs[0].ranks = 4;
  EXPECT_EQ(problem_of([&] { lay_out_ranks(request); }), "the rankfile says nothing of rank 3");
  request.programs[0].ranks = 0;
  EXPECT_EQ(names(request, lay_out_ranks(request)), "x x own") << "as many ranks as rows, whatever the slots";
  request.programs[0].ranks = 4;
  request.rank_rows = parse_rankfile("rank 0=+n1 slot=0\n");
  EXPECT_EQ(names(request, lay_out_ranks(request)), "?") << "the first host is the engine's to number";
  request.own_name = "host1";
  request.rank_rows = {{0, "x"}, {1, "host1"}, {2, "own"}, {3, "x"}};
  EXPECT_EQ(names(request, lay_out_ranks(request)), "x own own x");
  request.rank_rows = {{0, "z"}, {1, "z"}, {2, "z"}, {3, "z"}};
  EXPECT_EQ(problem_of([&] { lay_out_ranks(request); }),
            "the rankfile gives rank 0 the host z, which is none of the job's");
}

}  // namespace
}  // namespace ringrun
