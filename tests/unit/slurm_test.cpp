#include <gtest/gtest.h>

#include <algorithm>

#include "launcher/engine/engine_choice.hpp"
#include "launcher/engine/slurm.hpp"
#include "launcher/engine/slurm_steps.hpp"
#include "launcher/engine/srun.hpp"
#include "launcher/hosts/hostfile.hpp"
#include "launcher/hosts/named_hosts.hpp"
#include "launcher/hosts/slots.hpp"
#include "launcher/hosts/slurm_allocation.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/probe/remote_shell.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

/// As `salloc -N2 -n3` leaves it (22.05).
Environment in_salloc() {
  return {{"SLURM_JOB_ID", "7"},          {"SLURM_JOB_NODELIST", "a,b"}, {"SLURM_JOB_CPUS_PER_NODE", "2,1"},
          {"SLURM_NNODES", "2"},          {"SLURM_NTASKS", "3"},         {"SLURM_NPROCS", "3"},
          {"SLURM_TASKS_PER_NODE", "2,1"}};
}

Environment with(Environment environment, const Environment& changes) {
  for (const auto& [name, value] : changes) environment.insert_or_assign(name, value);
  return environment;
}

Environment without(Environment environment, const Words& names) {
  for (const std::string& name : names) environment.erase(name);
  return environment;
}

std::string nodes_of(const Environment& environment) {
  std::string text;
  const auto allocation = read_slurm_allocation(environment);
  if (!allocation) return "none";
  for (const auto& [name, tasks] : allocation->nodes) {
    text += (text.empty() ? "" : " ") + name + ":" + std::to_string(tasks);
  }
  return text;
}

TEST(SlurmAllocation, IsNodesAndTheirTasks) {
  EXPECT_EQ(nodes_of(in_salloc()), "a:2 b:1");
  EXPECT_TRUE(read_slurm_allocation(in_salloc())->tasks_said);
  EXPECT_EQ(read_slurm_allocation(in_salloc())->job, "7");
  EXPECT_EQ(
      nodes_of(with(in_salloc(), {{"SLURM_JOB_NODELIST", "node[08-10],gpu1"}, {"SLURM_TASKS_PER_NODE", "8(x3),2"}})),
      "node08:8 node09:8 node10:8 gpu1:2");
  EXPECT_EQ(nodes_of({{"SLURM_JOBID", "7"}, {"SLURM_NODELIST", "n[1-2]"}}), "n1:1 n2:1");
}

TEST(SlurmAllocation, IsNoneOutsideOfOne) {
  EXPECT_EQ(nodes_of({}), "none");
  EXPECT_EQ(nodes_of({{"SLURM_CONF", "/etc/slurm/slurm.conf"}}), "none");
  EXPECT_EQ(nodes_of({{"SLURM_JOB_ID", "7"}}), "none");
}

TEST(SlurmAllocation, TasksThatNobodySaidAreThoseOfTheGpusWhereThereAreAny) {
  const auto unsaid = without(in_salloc(), {"SLURM_NTASKS", "SLURM_NPROCS"});
  const HostList hosts = choose_hosts(HostPool{hosts_of(*read_slurm_allocation(unsaid)), "it"}, {});
  EXPECT_EQ(resolve_slots(hosts, {{0, 64}, {0, 64}}, false), (std::vector{2, 1}));
  EXPECT_EQ(resolve_slots(hosts, {{8, 64}, {8, 64}}, false), (std::vector{8, 8}));
  EXPECT_EQ(resolve_slots(hosts, {{0, 64}, {0, 64}}, true), (std::vector{1, 1}));
  const HostList said = hosts_of(*read_slurm_allocation(in_salloc()));
  EXPECT_EQ(resolve_slots(said, {{8, 64}, {8, 64}}, false), (std::vector{2, 1}));
}

TEST(SlurmAllocation, AShellOfSlurmsOwnIsNoTask) {
  EXPECT_EQ(nodes_of(with(in_salloc(), {{"SLURM_PROCID", "0"}})), "a:2 b:1") << "a batch script";
  EXPECT_EQ(nodes_of(with(in_salloc(), {{"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NUM_TASKS", "1"}})), "a:2 b:1")
      << "an interactive step";
}

TEST(SlurmAllocation, AShellThatSrunStartedHasTheWholeJobByItsCpus) {
  const Environment step = {{"SLURM_JOB_ID", "7"},         {"SLURM_JOB_NODELIST", "a,b"},     {"SLURM_STEP_ID", "0"},
                            {"SLURM_STEP_NUM_TASKS", "1"}, {"SLURM_TASKS_PER_NODE", "1"},     {"SLURM_NTASKS", "1"},
                            {"SLURM_CPUS_PER_TASK", "2"},  {"SLURM_JOB_CPUS_PER_NODE", "4,2"}};
  EXPECT_EQ(nodes_of(step), "a:2 b:1");
  EXPECT_FALSE(read_slurm_allocation(step)->tasks_said);
}

TEST(SlurmAllocation, RingrunAsOneOfSeveralTasksIsExplained) {
  const std::string text = error_text([] {
    read_slurm_allocation(with(in_salloc(), {{"SLURM_STEP_ID", "0"}, {"SLURM_STEP_NUM_TASKS", "3"}}));
  });
  EXPECT_EQ(text.substr(0, text.find(" | ")),
            "srun started ringrun as one of 3 tasks, and each of them would start the whole job");
  EXPECT_NE(text.find("salloc"), std::string::npos);
}

TEST(SlurmAllocation, SaysWhatItCannotRead) {
  EXPECT_EQ(problem_of([] {
              nodes_of(with(in_salloc(), {{"SLURM_TASKS_PER_NODE", "2(x"}}));
            }),
            "SLURM_TASKS_PER_NODE='2(x' is not a list of counts as Slurm writes it, 2(x3),1");
  EXPECT_EQ(problem_of([] {
              nodes_of(with(in_salloc(), {{"SLURM_TASKS_PER_NODE", "2(x3)"}}));
            }),
            "Slurm's variables contradict each other: SLURM_JOB_NODELIST has 2 nodes, the tasks are said for 3");
  EXPECT_EQ(problem_of([] {
              nodes_of(with(in_salloc(), {{"SLURM_JOB_NODELIST", "a[1-"}}));
            }),
            "SLURM_JOB_NODELIST: 'a[1-' is no range of names: a bracket has no partner");
}

TEST(SlurmAllocation, AHostfileChoosesFromIt) {
  const SlurmAllocation allocation = *read_slurm_allocation(in_salloc());
  const HostList hosts = within_allocation(parse_hostfile("b.example.org\na slots=1", "ab"), allocation);
  EXPECT_EQ(hosts.at(0).name, "b");
  EXPECT_EQ(hosts.at(0).slots, 1);
  EXPECT_EQ(hosts.at(1).slots, 1);
  EXPECT_EQ(problem_of([&] { within_allocation(parse_hostfile("a\nc", "ab"), allocation); }),
            "ab:2: 'c' is not in the allocation of Slurm's job 7");
}

TEST(SlurmAllocation, AListChoosesFromIt) {
  const HostPool pool{hosts_of(*read_slurm_allocation(in_salloc())), "the allocation of Slurm's job 7", "b"};
  EXPECT_EQ(choose_hosts(pool, {"localhost:1"}).at(0).name, "b");
  EXPECT_EQ(problem_of([&] { choose_hosts(pool, {"c"}); }), "-H 'c': 'c' is not in the allocation of Slurm's job 7");
  const HostList bare = choose_hosts(pool, {"b,a"});
  EXPECT_EQ(resolve_slots(bare, {{0, 64}, {0, 64}}, false), (std::vector{1, 1})) << "as mpirun counts there";
  EXPECT_EQ(resolve_slots(bare, {{8, 64}, {8, 64}}, false), (std::vector{1, 2}));
}

TEST(Slurm, ItsConfigurationSaysWhetherItBinds) {
  Slurm slurm{"/usr/bin/srun", "", true};
  read_slurm_configuration("SLURM_VERSION           = 22.05.8\nTaskPlugin              = task/none\n", slurm);
  EXPECT_EQ(slurm, (Slurm{"/usr/bin/srun", "22.05.8", false}));
  read_slurm_configuration("TaskPlugin              = task/cgroup,task/affinity\n", slurm);
  EXPECT_TRUE(slurm.binds);
  read_slurm_configuration("", slurm);
  EXPECT_TRUE(slurm.binds) << "where scontrol says nothing";
}

TEST(Slurm, IsAskedForPmix) {
  EXPECT_TRUE(
      has_pmix("MPI plugin types are...\n\tpmix\n\tnone\n\tpmi2\nspecific pmix plugin versions available: pmix_v4\n"));
  EXPECT_FALSE(has_pmix("MPI plugin types are...\n\tnone\n\tpmi2\n"));
}

TEST(Slurm, AStepIsFoundByItsName) {
  EXPECT_TRUE(names_step("sh\nrun-7   \nrun-71\n", "run-7"));
  EXPECT_FALSE(names_step("sh\nrun-71\n", "run-7"));
  EXPECT_FALSE(names_step("slurm_load_jobs error: Invalid job id specified\n", "run-7"));
}

TEST(Slurm, IsNoEngineOutsideOfAnAllocation) {
  EXPECT_EQ(problem_of([] {
              choose_engine({"slurm", std::nullopt, std::nullopt}, {}, "/opt/ringrun");
            }),
            "--engine slurm: this is not inside a Slurm allocation, or there is no srun on PATH");
}

TEST(Slurm, ItsShellPassesTheNodeAndTheCommandToSrun) {
  Host host;
  host.name = "b";
  host.port = 2222;
  host.user = "ann";
  const Words command = remote_command(slurm_shell_words({"/usr/bin/srun", "22.05.8", true}), host,
                                       {"exec", "'/opt/ring run'", "__agent"});
  EXPECT_EQ((Words{command.begin() + 3, command.end()}),
            (Words{"srun", "-l", "ann", "-p", "2222", "b", "exec", "'/opt/ring run'", "__agent"}));
  EXPECT_NE(command[2].find("unset SLURM_NTASKS "), std::string::npos);
  EXPECT_NE(command[2].find(" --overlap --mpi=none --nodes=1 --ntasks=1 --mem=0 --nodelist=\"$node\" --cpu-bind=none "
                            "/bin/sh -c \"$*\""),
            std::string::npos);
}

EngineRequest two_nodes() {
  EngineRequest request;
  request.ringrun = "/opt/ringrun";
  request.engine = {EngineKind::slurm, "/usr/bin/srun", "22.05.8"};
  for (const char* name : {"b", "a"}) {
    request.hosts.emplace_back();
    request.hosts.back().name = name;
  }
  request.ranks = {1, 2};
  request.host_of_rank = {0, 1, 1};
  request.staged = {"", ""};
  request.in_allocation = true;
  request.plan = "{}";
  request.run_id = "run-7";
  request.program = {"/bin/echo", "a b"};
  return request;
}

TEST(Srun, StartsEachRankOnItsNode) {
  const EngineCommand command = srun_command(two_nodes(), in_salloc());
  EXPECT_EQ(command.argv,
            (Words{"/usr/bin/srun", "--mpi=pmix", "--kill-on-bad-exit=1", "--job-name=run-7", "--ntasks=3",
                   "--distribution=arbitrary", "--nodelist=b,a,a", "--overlap", "--overcommit", "--mem=0",
                   "--disable-status", "--quiet", "--input=0", "/opt/ringrun", "__rank", "--", "/bin/echo", "a b"}));
  EXPECT_EQ(command.set, (Environment{{"RINGRUN_PLAN", "{}"}}));
  EXPECT_EQ(command.unset, (Words{"SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NNODES"}));
}

TEST(Srun, VariablesAndParametersOfTheLibraryTravelInTheEnvironment) {
  EngineRequest request = two_nodes();
  request.parameters = {{"btl", "self,tcp"}};
  request.exports.asked = {{"A", "1"}, {"MASTER_PORT", "1"}};
  request.exports.forwarded = {{"NCCL_DEBUG", "INFO"}};
  EXPECT_EQ(srun_command(request, {}).set,
            (Environment{{"A", "1"}, {"NCCL_DEBUG", "INFO"}, {"OMPI_MCA_btl", "self,tcp"}, {"RINGRUN_PLAN", "{}"}}));
}

TEST(Srun, BindsAsAskedWhereTheClusterBinds) {
  EngineRequest request = two_nodes();
  request.binds = true;
  const auto has = [&](const std::string& word) {
    const Words argv = srun_command(request, {}).argv;
    return std::find(argv.begin(), argv.end(), word) != argv.end();
  };
  EXPECT_TRUE(has("--cpu-bind=none"));
  request.options.mapping.bind_to = "core";
  EXPECT_TRUE(has("--cpu-bind=cores"));
  request.options.mapping.bind_to = "l3cache";
  EXPECT_EQ(problem_of([&] { has(""); }), "--bind-to l3cache: srun has no such binding (the job starts by srun)");
  request.options.mapping.bind_to = "core";
  request.engine.binds_tasks = false;
  EXPECT_EQ(problem_of([&] { has(""); }),
            "--bind-to core: this cluster binds no tasks, its TaskPlugin is task/none (the "
            "job starts by srun)");
}

TEST(Srun, RefusesByNameWhatItCannotDo) {
  EngineRequest request = two_nodes();
  request.prefix = "/opt/openmpi";
  EXPECT_EQ(problem_of([&] { srun_command(request, {}); }),
            "--prefix: srun starts no daemon that it could be given to (the job starts by srun)");
  request = two_nodes();
  request.parameters = {{"rmaps_base_mapping_policy", "node"}};
  EXPECT_EQ(problem_of([&] { srun_command(request, {}); }),
            "--mca rmaps_base_mapping_policy: it is a parameter of mpirun (the job starts by srun)");
}

TEST(Srun, FindsTheCopyOfRingrunOnEachNode) {
  EngineRequest request = two_nodes();
  request.staged = {"/root/.cache/ringrun/x/ringrun", ""};
  const Words argv = srun_command(request, {}).argv;
  const auto shell = std::find(argv.begin(), argv.end(), "/bin/sh");
  ASSERT_NE(shell, argv.end());
  EXPECT_EQ(
      (Words{shell, argv.end()}),
      (Words{"/bin/sh", "-c",
             "case $SLURMD_NODENAME in b) self=/root/.cache/ringrun/x/ringrun ;; *) self=/opt/ringrun ;; esac; exec "
             "\"$self\" __rank -- \"$@\"",
             "ringrun", "/bin/echo", "a b"}));
}

}  // namespace
}  // namespace ringrun
