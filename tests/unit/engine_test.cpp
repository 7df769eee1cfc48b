#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "launcher/engine/openmpi.hpp"
#include "launcher/engine/plan_variables.hpp"
#include "launcher/launch_errors.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

Host named(const std::string& name) {
  Host host;
  host.name = name;
  return host;
}

EngineRequest two_hosts(int major) {
  EngineRequest request;
  request.ringrun = "/opt/ringrun";
  request.engine = major == 4 ? Engine{EngineKind::openmpi4, "/usr/bin/mpirun", "4.1.4"}
                              : Engine{EngineKind::openmpi5, "/usr/bin/mpirun", "5.0.7"};
  request.hosts = {named("a"), named("b")};
  request.slots = request.ranks = {2, 1};
  request.host_of_rank = {0, 0, 1};
  request.size = 3;
  request.own_host = 0;
  request.shell = {"ssh", "-x"};
  request.plan = "{}";
  request.program = {"/bin/echo", "a b"};
  return request;
}

EngineRequest one_host() {
  EngineRequest request = two_hosts(4);
  request.hosts.pop_back();
  request.ranks.pop_back();
  request.slots.pop_back();
  request.host_of_rank.pop_back();
  request.size = 2;
  request.shell.clear();
  return request;
}

TEST(OpenMpi, OneHostNeedsNoRemoteShell) {
  const EngineCommand command = openmpi_command(one_host(), {});
  EXPECT_EQ(command.argv, (Words{"/usr/bin/mpirun", "-np", "2", "-H", "a:2", "-x", "RINGRUN_PLAN", "/opt/ringrun",
                                 "__rank", "--", "/bin/echo", "a b"}));
  EXPECT_EQ(command.set, (Environment{{"RINGRUN_HOST", "0"}, {"RINGRUN_PLAN", "{}"}}));
  EXPECT_TRUE(command.unset.empty());
}

TEST(OpenMpi, AContainerOfThisHostIsARemoteHostToTheEngine) {
  EngineRequest request = two_hosts(4);
  request.own_host = -1;
  request.hosts[1].attributes.container = HostContainer{"node", true};
  const EngineCommand command = openmpi_command(request, {});
  EXPECT_THAT(command.argv, testing::Contains("a:2,127.0.0.3:1"));
  EXPECT_THAT(command.set.at("RINGRUN_HOSTS"), testing::HasSubstr(R"("127.0.0.3")"));
}

TEST(EngineCommand, ThatTheKernelCouldNotStartIsRefused) {
  EngineRequest request = two_hosts(4);
  request.plan = std::string(3 << 19, 'x');
  EXPECT_NO_THROW(engine_command(request, {}));
  request.plan += 'x';
  EXPECT_EQ(problem_of([&] { engine_command(request, {}); }),
            "the plan for the ranks of 2 hosts would be 1572865 bytes long; a program can be started with 1572864 of "
            "it");
  request.plan = "{}";
  request.hosts[1].name = std::string(200'000, 'b');
  EXPECT_EQ(problem_of([&] { engine_command(request, {}); }).substr(0, 53),
            "the engine's list of 2 hosts would be 200006 bytes lo");
}

TEST(EngineCommand, CarriesALongPlanInSeveralVariables) {
  EngineRequest request = two_hosts(4);
  for (int i = 0; i < 50'000; ++i) request.plan += std::to_string(i);
  const EngineCommand command = engine_command(request, {});
  EXPECT_THAT(command.argv, testing::IsSupersetOf({"RINGRUN_PLAN", "RINGRUN_PLAN_2"}));
  std::size_t longest = 0;
  for (const auto& [name, value] : command.set) longest = std::max(longest, name.size() + value.size());
  EXPECT_LT(longest, std::size_t{128} << 10);
  EXPECT_EQ(read_plan_variables([&](const char* name) -> const char* {
              const auto found = command.set.find(name);
              return found == command.set.end() ? nullptr : found->second.c_str();
            }),
            request.plan);
  EXPECT_TRUE(is_plan_variable("RINGRUN_PLAN_12") && !is_plan_variable("RINGRUN_PLAN_X"));
}

TEST(OpenMpi, AJobOnThisHostAloneStartsWhereThereIsNoSsh) {
  EngineRequest request = one_host();
  request.no_ssh = true;
  const Words argv = openmpi_command(request, {}).argv;
  const auto agent = std::find(argv.begin(), argv.end(), "plm_rsh_agent");
  ASSERT_NE(agent, argv.end());
  EXPECT_EQ(*(agent + 1), "/opt/ringrun");
}

TEST(OpenMpi, RemoteHostsAreReachedThroughRingrun) {
  EXPECT_EQ(
      openmpi_command(two_hosts(4), {}).argv,
      (Words{"/usr/bin/mpirun", "-np", "3", "-H", "a:2,b:1", "--mca", "plm_rsh_agent", "/opt/ringrun __rsh", "--mca",
             "plm_rsh_no_tree_spawn", "1", "-x", "RINGRUN_PLAN", "/opt/ringrun", "__rank", "--", "/bin/echo", "a b"}));
  EXPECT_EQ(
      openmpi_command(two_hosts(5), {}).argv,
      (Words{"/usr/bin/mpirun", "-np", "3", "-H", "a:2,b:1", "--mca", "plm_ssh_agent", "/opt/ringrun __rsh", "--mca",
             "plm_ssh_no_tree_spawn", "1", "-x", "RINGRUN_PLAN", "/opt/ringrun", "__rank", "--", "/bin/echo", "a b"}));
}

TEST(OpenMpi, FiveKnowsItsOwnHostByName) {
  EngineRequest request = two_hosts(5);
  request.hosts[0].name = "192.168.1.5";
  const Words argv = openmpi_command(request, {}).argv;
  EXPECT_EQ(argv[4], "localhost:2,b:1");
}

TEST(OpenMpi, RingrunsOrderOfHostsIsKeptWhereTheLaunchingHostIsNotTheFirst) {
  EngineRequest request = two_hosts(4);
  request.own_host = 1;
  const auto hosts = [&] {
    const Words argv = openmpi_command(request, {}).argv;
    return Words{argv.begin() + 3, argv.begin() + 7};
  };
  EXPECT_EQ(hosts(), (Words{"-H", "a:2,b:1", "--mca", "plm_rsh_agent"})) << "the engine's own order";
  request.in_list_order = true;
  EXPECT_EQ(hosts(), (Words{"-H", "a,a,b", "--map-by", "seq"}));
}

TEST(OpenMpi, TheUsersMappingIsTheEnginesToFollowWithAllSlots) {
  EngineRequest request = two_hosts(4);
  request.slots = {4, 2};
  request.host_of_rank = {0, 1, 0};
  request.options.mapping.by = "node";
  const auto words = [&](std::size_t first, std::size_t last) {
    const Words argv = openmpi_command(request, {}).argv;
    return Words{argv.begin() + static_cast<std::ptrdiff_t>(first), argv.begin() + static_cast<std::ptrdiff_t>(last)};
  };
  EXPECT_EQ(words(1, 7), (Words{"-np", "3", "-H", "a:4,b:2", "--map-by", "node"}));
  request.options.mapping.by = "seq";
  EXPECT_EQ(words(1, 7), (Words{"-np", "3", "-H", "a,b,a", "--map-by", "seq"}));
  request.options.mapping.by = "ppr:1:package";
  request.host_of_rank.clear();
  request.size.reset();
  EXPECT_EQ(words(1, 5), (Words{"-H", "a:4,b:2", "--map-by", "ppr:1:socket"})) << "only the engine knows how many";
}

TEST(OpenMpi, SeveralProgramsAreContextsOfFourWithWhatEachExports) {
  EngineRequest request = one_host();
  request.program.clear();
  request.programs = {{1, {{0, 4}}, std::nullopt, {{"A", "1"}}, {"/bin/x", "-a"}},
                      {2, {}, "/work", {{"A", "2"}}, {"/bin/y"}}};
  EXPECT_EQ(openmpi_command(request, {}).argv, (Words{"/usr/bin/mpirun",
                                                      "-np",
                                                      "1",
                                                      "-H",
                                                      "a:4",
                                                      "-x",
                                                      "RINGRUN_PLAN",
                                                      "-x",
                                                      "A=1",
                                                      "/opt/ringrun",
                                                      "__rank",
                                                      "--",
                                                      "/bin/x",
                                                      "-a",
                                                      ":",
                                                      "-np",
                                                      "2",
                                                      "-wdir",
                                                      "/work",
                                                      "-x",
                                                      "RINGRUN_PLAN",
                                                      "-x",
                                                      "A=2",
                                                      "/opt/ringrun",
                                                      "__rank",
                                                      "--",
                                                      "/bin/y"}));
}

TEST(OpenMpi, SeveralProgramsAreOneToFiveWithAHostForEachRank) {
  EngineRequest request = two_hosts(5);
  request.program.clear();
  request.host_of_rank = {0, 1, 0};
  const Words argv = openmpi_command(request, {}).argv;
  EXPECT_EQ((Words{argv.begin() + 1, argv.begin() + 7}), (Words{"-np", "3", "-H", "a,b,a", "--map-by", "seq"}));
  EXPECT_EQ((Words{argv.end() - 3, argv.end()}), (Words{"/opt/ringrun", "__rank", "--"}));
  request.host_of_rank = {0, 0, 1};
  request.slots = {4, 4};
  const Words in_order = openmpi_command(request, {}).argv;
  EXPECT_EQ((Words{in_order.begin() + 3, in_order.begin() + 6}), (Words{"-H", "a:2,b:1", "--mca"}))
      << "so that its default binding stays";
}

TEST(OpenMpi, OptionsAndParametersArePassedOn) {
  EngineRequest request = one_host();
  request.allow_run_as_root = true;
  request.prefix = "/opt/mpi";
  request.binds = true;
  request.options.mapping.oversubscribe = true;
  request.working_directory = "/tmp";
  request.parameters = {{"btl", "self,tcp"}, {"plm_rsh_agent", "mine"}};
  request.exports.asked = {{"A", "1"}, {"B", "2"}, {"MASTER_PORT", "1"}};
  EXPECT_EQ(openmpi_command(request, {{"A", "1"}, {"B", "other"}}).argv, (Words{"/usr/bin/mpirun",
                                                                                "--allow-run-as-root",
                                                                                "--prefix",
                                                                                "/opt/mpi",
                                                                                "-np",
                                                                                "2",
                                                                                "-H",
                                                                                "a:2",
                                                                                "--oversubscribe",
                                                                                "--bind-to",
                                                                                "none",
                                                                                "-wdir",
                                                                                "/tmp",
                                                                                "--mca",
                                                                                "btl",
                                                                                "self,tcp",
                                                                                "-x",
                                                                                "RINGRUN_PLAN",
                                                                                "-x",
                                                                                "A",
                                                                                "-x",
                                                                                "B=2",
                                                                                "/opt/ringrun",
                                                                                "__rank",
                                                                                "--",
                                                                                "/bin/echo",
                                                                                "a b"}));
}

TEST(OpenMpi, InASlurmAllocationTheHostsAreThoseItIsGiven) {
  EngineRequest request = two_hosts(4);
  request.in_allocation = true;
  const auto says = [&](const Words& wanted) {
    const Words argv = openmpi_command(request, {}).argv;
    return std::search(argv.begin(), argv.end(), wanted.begin(), wanted.end()) != argv.end();
  };
  EXPECT_TRUE(says({"--mca", "plm", "rsh", "--mca", "ras", "^slurm", "--leave-session-attached"}));
  request = two_hosts(5);
  request.in_allocation = true;
  EXPECT_TRUE(says({"--mca", "plm", "ssh", "--mca", "ras", "^slurm", "--leave-session-attached"}));
  request.parameters = {{"plm", "slurm"}};
  EXPECT_EQ(problem_of([&] { openmpi_command(request, {}); }),
            "--mca plm slurm: in a Slurm allocation ringrun gives mpirun its hosts and daemons");
}

TEST(OpenMpi, AnExplicitBindingWins) {
  EngineRequest request = one_host();
  request.options.mapping.bind_to = "core";
  const Words argv = openmpi_command(request, {}).argv;
  EXPECT_EQ((Words{argv.begin() + 5, argv.begin() + 7}), (Words{"--bind-to", "core"}));
}

TEST(OpenMpi, FullNamesStayWhole) {
  EngineRequest request = two_hosts(4);
  request.hosts[1].name = "b.example.org";
  const Words argv = openmpi_command(request, {}).argv;
  EXPECT_NE(std::find(argv.begin(), argv.end(), "orte_keep_fqdn_hostnames"), argv.end());
  request.hosts[1].name = "192.168.1.6";
  const Words plain = openmpi_command(request, {}).argv;
  EXPECT_EQ(std::find(plain.begin(), plain.end(), "orte_keep_fqdn_hostnames"), plain.end());
}

TEST(OpenMpi, OldParametersHaveTheirNewNamesInFive) {
  EngineRequest request = two_hosts(5);
  request.parameters = {{"plm_rsh_num_concurrent", "8"}, {"oob_tcp_if_include", "eth0"}};
  const Words argv = openmpi_command(request, {}).argv;
  EXPECT_NE(std::find(argv.begin(), argv.end(), "plm_ssh_num_concurrent"), argv.end());
  EXPECT_NE(std::find(argv.begin(), argv.end(), "prte_if_include"), argv.end());
}

TEST(OpenMpi, ParametersKeepTheirKindInFiveAndAreOneKindInFour) {
  EngineRequest request = two_hosts(5);
  request.parameters = {{"a", "1"}, {"b", "2"}};
  request.parameter_options = {{"a", "--prtemca"}, {"b", "--pmixmca"}};
  Words argv = openmpi_command(request, {}).argv;
  EXPECT_NE(std::find(argv.begin(), argv.end(), "--prtemca"), argv.end());
  EXPECT_NE(std::find(argv.begin(), argv.end(), "--pmixmca"), argv.end());
  request = two_hosts(4);
  request.parameters = {{"a", "1"}};
  request.parameter_options = {{"a", "--prtemca"}};
  argv = openmpi_command(request, {}).argv;
  EXPECT_EQ(std::find(argv.begin(), argv.end(), "--prtemca"), argv.end());
  request.parameter_options = {{"a", "--pmixmca"}};
  EXPECT_EQ(problem_of([&] { openmpi_command(request, {}); }), "Open MPI 4 does not know --pmixmca a");
}

TEST(OpenMpi, OldParametersInTheEnvironmentGetTheirNewNamesInFive) {
  const Environment environment = {{"OMPI_MCA_plm_rsh_num_concurrent", "8"},
                                   {"OMPI_MCA_oob_tcp_if_include", "eth0"},
                                   {"PRTE_MCA_prte_if_include", "eth1"},
                                   {"OMPI_MCA_plm_rsh_agent", "mine"},
                                   {"OMPI_MCA_btl", "tcp"}};
  EXPECT_EQ(openmpi_command(two_hosts(5), environment).set.count("PRTE_MCA_plm_ssh_num_concurrent"), 1u);
  EXPECT_EQ(openmpi_command(two_hosts(5), environment).set.count("PRTE_MCA_prte_if_include"), 0u) << "said already";
  EXPECT_EQ(openmpi_command(two_hosts(5), environment).set.count("PRTE_MCA_plm_ssh_agent"), 0u);
  EXPECT_EQ(openmpi_command(two_hosts(5), environment).set.count("PRTE_MCA_btl"), 0u);
  EXPECT_EQ(openmpi_command(two_hosts(4), environment).set.count("PRTE_MCA_plm_ssh_num_concurrent"), 0u);
}

TEST(OpenMpi, AnIsolatingEnvironmentIsIgnoredWhereHostsAreRemote) {
  EXPECT_EQ(openmpi_command(two_hosts(4), {{"OMPI_MCA_plm", "isolated"}}).unset, Words{"OMPI_MCA_plm"});
  EXPECT_TRUE(openmpi_command(one_host(), {{"OMPI_MCA_plm", "isolated"}}).unset.empty());
}

TEST(ShellLine, IsQuotedForAShell) {
  EXPECT_EQ(shell_line({{"mpirun", "a b", "it's", "", "x=$y"}, {{"P", "{\"a\":1}"}}, {"RANK"}}),
            "env -u RANK P='{\"a\":1}' mpirun 'a b' 'it'\\''s' '' 'x=$y'");
}

}  // namespace
}  // namespace ringrun
