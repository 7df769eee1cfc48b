#include <gtest/gtest.h>

#include "launcher/cli/parse.hpp"
#include "launcher/job/job.hpp"
#include "launcher/launch_errors.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

/// Answers as of hosts b and a, of which a is the launching one, with so many GPUs and four cores each.
class Allotment : public testing::Test {
 protected:
  Job allot(const std::vector<std::string>& words, int gpus, bool masquerade = false) {
    launch_ = parse_command_line(words);
    launch_.masquerade = masquerade;
    JobProgram program;
    program.ranks = launch_.ranks;
    program.argv = launch_.program;
    HostList hosts;
    std::vector<HostAnswer> answers;
    for (const std::string name : {"b", "a"}) {
      if (one_host_ && name == "b") continue;
      hosts.emplace_back();
      hosts.back().name = name;
      hosts.back().origin = "ab";
      hosts.back().slots = slots_;
      hosts.back().cores_unless_said = true;
      HostAnswer& answer = answers.emplace_back();
      answer.local = name == "a";
      answer.facts.gpu_note = gpu_note_;
      answer.facts.identity = answer.facts.hostname = name;
      answer.facts.program.state = ProgramState::executable;
      answer.facts.more_programs.resize(more_.size(), answer.facts.program);
      answer.facts.cwd_exists = true;
      NumaNode node;
      node.cores = {{{0}}, {{1}}, {{2}}, {{3}}};
      answer.facts.machine = Machine{{node}, {}, {}, {}};
      answer.facts.cpuset_cpus = answer.facts.cpuset_cores = 4 + (answer.local ? mask_hides_ : remote_mask_hides_);
      for (int index = 0; index < (answer.local ? gpus_of_a_.value_or(gpus) : gpus); ++index) {
        answer.facts.gpus.emplace_back();
        answer.facts.gpus.back().index = index;
      }
      for (const int index : more_gpus_) {
        answer.facts.more_gpus.emplace_back();
        if (index < 0) continue;
        answer.facts.more_gpus.back().emplace_back();
        answer.facts.more_gpus.back().back().index = index;
      }
      program.sequence.push_back(name);
    }
    programs_ = {program};
    for (const int ranks : more_) {
      JobProgram& more = programs_.emplace_back();
      more.ranks = ranks;
      more.argv = {"y"};
    }
    return allot_ranks({launch_, EngineKind::openmpi4,
                        said_mapping(launch_.engine_options.mapping, launch_.parameters, environment_), hosts, answers,
                        programs_});
  }

  static std::string hosts(const Job& job) {
    std::string text;
    for (const int place : job.host_of_rank) text += job.hosts[static_cast<std::size_t>(place)].host.name;
    return text;
  }

  /// Where they are not as many as b's.
  std::optional<int> gpus_of_a_;
  /// Only a.
  bool one_host_ = false;
  /// Cores beyond the four that ringrun itself may use.
  int mask_hides_ = 0;
  /// Likewise on b.
  int remote_mask_hides_ = 0;
  std::string gpu_note_;
  /// Ranks of further programs.
  std::vector<int> more_;
  /// The GPU that each of these sees, -1 for none; empty: they see all.
  std::vector<int> more_gpus_;
  /// What the hostfile says.
  std::optional<int> slots_;
  LaunchRequest launch_;
  Environment environment_;
  std::vector<JobProgram> programs_;
};

TEST_F(Allotment, GivesGpusARankEachInTheOrderOfTheList) {
  const Job job = allot({"x"}, 2);
  EXPECT_EQ(hosts(job), "bbaa");
  EXPECT_TRUE(job.in_list_order && job.binds && job.certain);
  EXPECT_EQ(job.hosts[0].slots, 2);
}

TEST_F(Allotment, FollowsTheEngineWithoutGpus) {
  const Job job = allot({"x"}, 0);
  EXPECT_EQ(hosts(job), "aaaabbbb") << "the launching host first";
  EXPECT_FALSE(job.in_list_order || job.binds);
}

TEST_F(Allotment, FollowsTheEngineUnderMpirunsName) {
  const Job job = allot({"-np", "5", "x"}, 2, true);
  EXPECT_EQ(hosts(job), "aaaab") << "slots are cores";
  EXPECT_FALSE(job.in_list_order || job.binds);
}

TEST_F(Allotment, FollowsTheUsersMappingWithGpusAsSlots) {
  const Job job = allot({"--map-by", "node", "x"}, 2);
  EXPECT_EQ(hosts(job), "abab");
  EXPECT_FALSE(job.in_list_order);
  EXPECT_TRUE(job.binds) << "the mapping says nothing of binding";
  EXPECT_FALSE(allot({"--map-by", ":pe=2", "x"}, 2).binds);
  EXPECT_FALSE(allot({"--bind-to", "core", "x"}, 2).binds);
}

TEST_F(Allotment, FollowsAMappingThatParametersSay) {
  EXPECT_EQ(hosts(allot({"--mca", "rmaps_base_mapping_policy", "node", "x"}, 2)), "abab");
  environment_ = {{"OMPI_MCA_rmaps_base_mapping_policy", "node"}, {"OMPI_MCA_hwloc_base_binding_policy", "core"}};
  const Job job = allot({"x"}, 2);
  EXPECT_EQ(hosts(job), "abab");
  EXPECT_FALSE(job.binds);
  EXPECT_EQ(hosts(allot({"--map-by", "slot", "x"}, 2)), "aabb") << "an option wins";
  environment_ = {{"PRTE_MCA_rmaps_base_oversubscribe", "true"}};
  EXPECT_EQ(allot({"-np", "6", "x"}, 2).host_of_rank.size(), 6u);
  environment_ = {{"OMPI_MCA_rmaps_base_n_pernode", "1"}};
  EXPECT_FALSE(allot({"x"}, 2).certain);
}

TEST_F(Allotment, KeepsHostsWithoutRanksApart) {
  const Job job = allot({"-np", "1", "x"}, 2);
  ASSERT_EQ(job.hosts.size(), 1u);
  EXPECT_EQ(job.hosts[0].host.name, "b");
  ASSERT_EQ(job.idle.size(), 1u);
  EXPECT_EQ(job.idle[0].host.name, "a");
}

TEST_F(Allotment, KeepsEveryHostWhereOnlyTheEngineKnows) {
  const Job job = allot({"--map-by", "ppr:1:l3cache", "x"}, 2);
  EXPECT_FALSE(job.certain);
  EXPECT_EQ(job.hosts.size(), 2u);
  EXPECT_EQ(job.hosts[0].host.name, "a");
  EXPECT_EQ(job.hosts[0].placements.size(), 2u) << "a row for each GPU";
}

TEST_F(Allotment, RefusesMoreRanksThanGpus) {
  EXPECT_EQ(
      error_text([&] {
        allot({"-np", "5", "x"}, 2);
      }),
      "-np 5 wants 5 slots, the hosts have 4: b 2, a 2 | each GPU is a slot: start fewer ranks, add hosts, or let "
      "ranks share GPUs: --share-gpu");
  slots_ = 3;
  EXPECT_EQ(error_text([&] { allot({"x"}, 2); }),
            "b: 3 ranks want a GPU each, and there are 2 | start at most 2, or let ranks share GPUs: --share-gpu");
}

TEST_F(Allotment, LetsRanksShareGpusWhereThatIsMeant) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--share-gpu", "-np", "6", "x"}, {"-np", "6", "x", "--share-gpu"}, {"--oversubscribe", "-np", "6", "x"}}) {
    const Job job = allot(words, 2);
    EXPECT_EQ(hosts(job), "bbbaaa") << words[0];
    EXPECT_EQ(job.hosts[0].placements[2].gpu, 0) << words[0];
    EXPECT_EQ(job.oversubscribed, words[0] == "--oversubscribe") << words[0];
  }
  EXPECT_EQ(hosts(allot({"--share-gpu", "-N", "3", "x"}, 2)), "aaabbb");
  EXPECT_EQ(hosts(allot({"--transport", "mpi", "-np", "6", "x"}, 2)), "bbbaaa");
  slots_ = 3;
  EXPECT_EQ(allot({"--transport", "mpi", "x"}, 2).host_of_rank.size(), 6u);
  EXPECT_EQ(allot({"x", "--backend", "mpi"}, 2).host_of_rank.size(), 6u);
  EXPECT_EQ(allot({"x"}, 2, true).host_of_rank.size(), 6u) << "under mpirun's name";
  EXPECT_EQ(allot({"x"}, 0).host_of_rank.size(), 6u) << "without GPUs";
}

TEST_F(Allotment, RefusesMoreRanksThanGpusWhereTheEngineMapsTooIfTheirNumberIsKnown) {
  for (const char* by : {"ppr:4:numa", "ppr:1:core", "ppr:4:node"}) {
    EXPECT_EQ(problem_of([&] {
                allot({"--map-by", by, "x"}, 2);
              }),
              "b: 4 ranks want a GPU each, and there are 2")
        << by;
    EXPECT_EQ(allot({"--map-by", by, "--share-gpu", "x"}, 2).host_of_rank.size(), 8u) << by;
  }
  const std::string problem = "a: 4 ranks want a GPU each, and there are 2";
  one_host_ = true;
  slots_ = 4;
  for (const char* by : {"numa:span", "ppr:4:l3cache", "slot:pe=1"})
    EXPECT_EQ(problem_of([&] { allot({"--map-by", by, "-np", "4", "x"}, 2); }), problem) << by;
  EXPECT_EQ(allot({"--map-by", "numa:span", "-np", "4", "--share-gpu", "x"}, 2).host_of_rank.size(), 4u);
}

TEST_F(Allotment, CountsWhatTheMappingNamesOnEachHost) {
  const Job job = allot({"--map-by", "ppr:1:numa", "x"}, 2);
  EXPECT_TRUE(job.certain);
  EXPECT_EQ(hosts(job), "ab");
  EXPECT_EQ(hosts(allot({"--map-by", "ppr:1:core", "x"}, 0)), "aaaabbbb");
  EXPECT_EQ(problem_of([&] {
              allot({"-np", "3", "--map-by", "ppr:1:numa", "x"}, 2);
            }),
            "-np 3 is more than 1 ranks on each of 2 hosts");
  mask_hides_ = 4;
  EXPECT_FALSE(allot({"--map-by", "ppr:1:core", "x"}, 0).certain) << "the engine does not look at the mask";
}

TEST_F(Allotment, CountsCoresAsTheEngineDoesWhateverTheMask) {
  mask_hides_ = 2;
  EXPECT_EQ(hosts(allot({"x"}, 0)), "aaaaaabbbb");
  remote_mask_hides_ = 1;
  EXPECT_EQ(hosts(allot({"x"}, 0)), "aaaaaabbbbb") << "that of a daemon there is no other";
  EXPECT_FALSE(allot({"--map-by", "ppr:1:core", "x"}, 0).certain);
  EXPECT_EQ(hosts(allot({"-np", "7", "x"}, 2, true)), "aaaaaab");
}

TEST_F(Allotment, LetsRanksOfSeveralProgramsShareGpus) {
  more_ = {2};
  const Job job = allot({"--share-gpu", "-np", "4", "x"}, 2);
  EXPECT_EQ(hosts(job).size(), 6u);
  EXPECT_EQ(job.hosts[0].slots + job.hosts[1].slots, 6);
  EXPECT_EQ(problem_of([&] { allot({"-np", "4", "x"}, 2); }), "-np 6 wants 6 slots, the hosts have 4: b 2, a 2");
}

TEST_F(Allotment, GivesEachProgramTheGpusThatItSees) {
  one_host_ = true;
  more_ = {1};
  more_gpus_ = {1};
  const Job job = allot({"-np", "1", "x"}, 1);
  ASSERT_EQ(job.hosts.at(0).gpus.size(), 2u);
  EXPECT_EQ(job.hosts[0].slots, 2);
  EXPECT_EQ(job.hosts[0].placements.at(0).gpu, 0);
  EXPECT_EQ(job.hosts[0].placements.at(1).gpu, 1);
  more_ = {2};
  EXPECT_EQ(problem_of([&] { allot({"-np", "1", "--oversubscribe", "--bind-to", "none", "x"}, 1); }), "");
  more_ = {1};
  more_gpus_ = {0};
  EXPECT_EQ(problem_of([&] {
              allot({"-np", "1", "x"}, 2);
            }),
            "a: 2 ranks would have GPU 0 by the CUDA_VISIBLE_DEVICES of their programs");
  EXPECT_EQ(problem_of([&] { allot({"-np", "1", "--share-gpu", "x"}, 2); }), "");
  more_gpus_ = {-1};
  const Job bare = allot({"-np", "1", "x"}, 2);
  EXPECT_EQ(bare.hosts[0].placements.at(1).gpu, -1);
  EXPECT_TRUE(bare.hosts[0].placements[1].cpus.empty());
  EXPECT_FALSE(bare.hosts[0].placements[0].cpus.empty());
  more_ = {3};
  EXPECT_EQ(problem_of([&] { allot({"-np", "2", "x"}, 2); }), "") << "who sees no GPU takes no GPU's slot";
}

TEST_F(Allotment, WarnsOfAListOfGpusThatNobodyCanHaveMeant) {
  gpu_note_ = "CUDA_VISIBLE_DEVICES=0,0: CUDA shows none of its 2 entries";
  const Job job = allot({"-np", "1", "x"}, 0);
  EXPECT_EQ(job.warnings, std::vector{"a: " + gpu_note_});
  EXPECT_EQ(job.hosts[0].note, gpu_note_);
  gpu_note_ = "CUDA_VISIBLE_DEVICES hides every GPU";
  EXPECT_TRUE(allot({"-np", "1", "x"}, 0).warnings.empty());
}

TEST_F(Allotment, SaysThatRanksAreBoundNextToTheirGpusWhateverTheMapping) {
  EXPECT_EQ(allot({"--map-by", "socket", "x"}, 2).warnings.size(), 1u);
  EXPECT_EQ(allot({"--map-by", "core", "x"}, 2).warnings.size(), 1u);
  EXPECT_EQ(allot({"--map-by", "ppr:1:package", "x"}, 2).warnings.size(), 1u);
  EXPECT_TRUE(allot({"--map-by", "ppr:1:node", "x"}, 2).warnings.empty());
  EXPECT_TRUE(allot({"--map-by", "socket", "--bind-to", "socket", "x"}, 2).warnings.empty());
  EXPECT_TRUE(allot({"--map-by", "socket", "x"}, 0).warnings.empty());
}

TEST_F(Allotment, NarrowsWhatRanksSeeOnlyWhereThatIsSaid) {
  EXPECT_FALSE(allot({"x"}, 2).hosts[0].placements[1].visible_devices);
  EXPECT_FALSE(allot({"--visible-devices", "none", "x"}, 2).hosts[0].placements[1].visible_devices);
  const Job job = allot({"--visible-devices", "own", "x"}, 2);
  EXPECT_EQ(job.hosts[0].placements[1].visible_devices, "1");
  const NetworkSettings settings{{{}, {}}, {}, "192.168.1.5", {}};
  const JobPlan plan = make_plan(launch_, job, {}, settings, {});
  EXPECT_EQ(plan.classes.at(0).rows.at(1), (PlanRow{1, "2,3", "0", "1"}));
  EXPECT_EQ(problem_of([&] { allot({"--visible-devices", "all", "x"}, 2); }), "--visible-devices 'all' is not known");
}

TEST_F(Allotment, NamesGpusByTheirUuidsWhereCudaCountsInAnotherOrder) {
  Job job = allot({"--visible-devices", "own", "x"}, 2);
  for (JobHost& host : job.hosts) {
    for (Gpu& gpu : host.gpus) gpu.uuid = "GPU-" + std::to_string(gpu.index);
    host.host.attributes.gpus = {0, 1};
  }
  const NetworkSettings settings{{{}, {}}, {}, "192.168.1.5", {}};
  Exports exports;
  exports.forwarded = {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};
  EXPECT_EQ(make_plan(launch_, job, exports, settings, {}).classes.at(0).rows.at(1).visible_devices, "1");
  exports.forwarded = {{"CUDA_DEVICE_ORDER", "FASTEST_FIRST"}};
  const JobPlan plan = make_plan(launch_, job, exports, settings, {});
  EXPECT_EQ(plan.classes.at(0).rows.at(1).visible_devices, "GPU-1");
  EXPECT_EQ(plan.classes.at(0).environment.at("CUDA_VISIBLE_DEVICES"), "GPU-0,GPU-1");
  job.hosts[0].host.attributes.environment = {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};
  EXPECT_EQ(class_of(make_plan(launch_, job, exports, settings, {}), 0).rows.at(1).visible_devices, "1");
}

TEST_F(Allotment, ReadsGpusBesideOneInMigMode) {
  HostAnswer answer;
  answer.local = true;
  answer.facts.identity = "a";
  answer.facts.program.state = ProgramState::executable;
  answer.facts.gpus.emplace_back();
  answer.facts.gpus[0].mig = true;
  Host host;
  host.name = "a";
  host.origin = "ab:1";
  host.attributes.gpus = {0, 1};
  launch_ = parse_command_line({"x"});
  programs_ = {{std::nullopt, {"x"}}};
  const JobRequest request{launch_, EngineKind::openmpi4, said_mapping(Mapping(), {}, {}), {host}, {answer}, programs_};
  EXPECT_EQ(problem_of([&] { allot_ranks(request); }),
            "ab:1: 'gpus=0,1': GPU 0 of a is in MIG mode, and beside a MIG device CUDA shows no other");
}

TEST_F(Allotment, KeepsRanksWithGpusInsideTheSaidCpus) {
  const Job job = allot({"--cpu-set", "1-2", "x"}, 1);
  EXPECT_TRUE(job.binds && job.certain && job.in_list_order);
  EXPECT_EQ(job.hosts[0].placements[0].cpus, (std::vector<int>{1, 2}));
  EXPECT_EQ(problem_of([&] { allot({"--cpu-set", "9", "x"}, 1); }), "b: none of the CPUs 9 may be used here");
  EXPECT_FALSE(allot({"--cpu-set", "1-2", "x"}, 0).binds) << "the engine does";
  EXPECT_FALSE(allot({"--cpu-set", "1-2", "--bind-to", "core", "x"}, 1).binds);
}

TEST_F(Allotment, KeepsRanksOfAHostWithoutGpusInsideTheSaidCpusToo) {
  gpus_of_a_ = 0;
  const Job job = allot({"--cpu-set", "1-2", "x"}, 1);
  ASSERT_EQ(hosts(job).substr(0, 2), "ba");
  const NetworkSettings settings{{{}, {}}, {}, "192.168.1.5", {}};
  const JobPlan plan = make_plan(launch_, job, {}, settings, {});
  EXPECT_EQ(class_of(plan, 0).rows.at(0), (PlanRow{0, "1,2", "0"}));
  EXPECT_EQ(class_of(plan, 1).rows.at(0), (PlanRow{-1, "1,2", "0"}));
}

}  // namespace
}  // namespace ringrun
