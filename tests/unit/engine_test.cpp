#include <gtest/gtest.h>

#include <algorithm>

#include "launcher/engine/host_directory.hpp"
#include "launcher/engine/mpirun.hpp"
#include "launcher/engine/openmpi.hpp"
#include "launcher/launch_errors.hpp"
#include "launcher/probe/remote_shell.hpp"
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
  request.ranks = {2, 1};
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
  EXPECT_EQ(openmpi_command(two_hosts(5), {}).argv,
            (Words{"/usr/bin/mpirun", "-np", "3", "-H", "localhost:2,b:1", "--mca", "plm_ssh_agent",
                   "/opt/ringrun __rsh", "--mca", "plm_ssh_no_tree_spawn", "1", "-x", "RINGRUN_PLAN", "/opt/ringrun",
                   "__rank", "--", "/bin/echo", "a b"}));
}

TEST(OpenMpi, TheOrderOfHostsIsKeptWhereTheLaunchingHostIsNotTheFirst) {
  EngineRequest request = two_hosts(4);
  request.own_host = 1;
  const Words argv = openmpi_command(request, {}).argv;
  EXPECT_EQ((Words{argv.begin() + 3, argv.begin() + 7}), (Words{"-H", "a,a,b", "--map-by", "seq"}));
}

TEST(OpenMpi, OptionsAndParametersArePassedOn) {
  EngineRequest request = one_host();
  request.allow_run_as_root = true;
  request.prefix = "/opt/mpi";
  request.binds = true;
  request.oversubscribe = request.oversubscribed = true;
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
                                                                                "--bind-to",
                                                                                "none",
                                                                                "--oversubscribe",
                                                                                "--mca",
                                                                                "mpi_yield_when_idle",
                                                                                "1",
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
  EXPECT_TRUE(says({"--mca", "plm", "rsh", "--mca", "ras", "^slurm", "--mca", "orte_leave_session_attached", "1"}));
  request = two_hosts(5);
  request.in_allocation = true;
  EXPECT_TRUE(says({"--mca", "plm", "ssh", "--mca", "ras", "^slurm", "--mca", "prte_leave_session_attached", "1"}));
  request.parameters = {{"plm", "slurm"}};
  EXPECT_EQ(problem_of([&] { openmpi_command(request, {}); }),
            "--mca plm slurm: in a Slurm allocation ringrun gives mpirun its hosts and daemons");
}

TEST(OpenMpi, AnExplicitBindingWins) {
  EngineRequest request = one_host();
  request.bind_to = "core";
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

TEST(OpenMpi, WhatAnOuterJobLeftIsTakenAway) {
  const Environment outer = {
      {"RANK", "3"}, {"TORCHELASTIC_USE_AGENT_STORE", "True"}, {"RINGRUN_HOST", "4"}, {"PMIX_RANK", "1"}};
  EXPECT_EQ(openmpi_command(one_host(), outer).unset, (Words{"RANK", "RINGRUN_HOST", "TORCHELASTIC_USE_AGENT_STORE"}));
  Environment inside = outer;
  inside["OMPI_COMM_WORLD_RANK"] = "1";
  EXPECT_EQ(openmpi_command(one_host(), inside).unset,
            (Words{"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "RANK", "RINGRUN_HOST", "TORCHELASTIC_USE_AGENT_STORE"}));
}

TEST(OpenMpi, AnIsolatingEnvironmentIsIgnoredWhereHostsAreRemote) {
  EXPECT_EQ(openmpi_command(two_hosts(4), {{"OMPI_MCA_plm", "isolated"}}).unset, Words{"OMPI_MCA_plm"});
  EXPECT_TRUE(openmpi_command(one_host(), {{"OMPI_MCA_plm", "isolated"}}).unset.empty());
}

TEST(ShellLine, IsQuotedForAShell) {
  EXPECT_EQ(shell_line({{"mpirun", "a b", "it's", "", "x=$y"}, {{"P", "{\"a\":1}"}}, {"RANK"}}),
            "env -u RANK P='{\"a\":1}' mpirun 'a b' 'it'\\''s' '' 'x=$y'");
}

TEST(Exports, ForwardWhatPeopleExpectToTravel) {
  const Exports exports =
      resolve_exports({}, {{"NCCL_DEBUG", "INFO"}, {"TORCH_X", "1"}, {"TORCHELASTIC_X", "1"}, {"HOME", "/"}});
  EXPECT_EQ(exports.forwarded,
            (Environment{{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}, {"NCCL_DEBUG", "INFO"}, {"TORCH_X", "1"}}));
}

TEST(Exports, OfWhatEveryRankGetsItsOwnAreWarnedOf) {
  const Exports exports = resolve_exports({"RANK=7", "A=1"}, {});
  EXPECT_EQ(exports.asked, (Environment{{"A", "1"}}));
  EXPECT_EQ(exports.warnings.size(), 1u);
}

TEST(Exports, TheLastWordForANameWins) {
  const Environment environment = {{"A", "1"}, {"AB", "2"}, {"B", "3"}, {"NCCL_DEBUG", "INFO"}};
  const Exports exports = resolve_exports({"A*", "A=new", "B=", "NCCL_DEBUG=WARN", "GONE"}, environment);
  EXPECT_EQ(exports.asked, (Environment{{"A", "new"}, {"AB", "2"}, {"B", ""}, {"NCCL_DEBUG", "WARN"}}));
  EXPECT_EQ(exports.forwarded.count("NCCL_DEBUG"), 0u);
  EXPECT_EQ(exports.warnings, Words{"-x GONE: the variable is not set here, so the ranks do not get it"});
  EXPECT_EQ(problem_of([] { resolve_exports({"=1"}, {}); }), "-x '=1' names no variable");
}

TEST(Mpirun, IsToldByItsVersion) {
  EXPECT_EQ(parse_mpirun_version("/m", "mpirun (Open MPI) 4.1.4\n\nReport bugs to\n").kind, EngineKind::openmpi4);
  EXPECT_EQ(parse_mpirun_version("/m", "mpirun (Open MPI) 5.0.7\n").version, "5.0.7");
  EXPECT_EQ(problem_of([] { parse_mpirun_version("/m", "HYDRA build details:\n"); }),
            "/m is MPICH's mpirun; ringrun needs Open MPI's");
  EXPECT_EQ(problem_of([] { parse_mpirun_version("/m", ""); }),
            "/m is not Open MPI's mpirun; ringrun needs Open MPI's");
}

TEST(RemoteShell, IsTheOneThatTheEngineWouldUse) {
  const auto none = [](const std::string&) { return std::optional<std::string>(); };
  const auto all = [](const std::string& name) { return std::optional<std::string>("/bin/" + name); };
  const auto rsh_alone = [](const std::string& name) {
    return name == "rsh" ? std::optional<std::string>("/bin/rsh") : std::nullopt;
  };
  const auto variable = [](const std::string& name) {
    return name == "PRTE_MCA_plm_ssh_agent" ? std::optional<std::string>("mine -q") : std::nullopt;
  };
  EXPECT_EQ(remote_shell_words({}, none, all, 30),
            (Words{"ssh", "-x", "-o", "BatchMode=yes", "-o", "ConnectTimeout=29"}));
  EXPECT_EQ(remote_shell_words({}, variable, all, 30), (Words{"mine", "-q"}));
  EXPECT_EQ(remote_shell_words({{"plm_rsh_agent", "ssh -4 : rsh"}}, variable, all, 30), (Words{"ssh", "-4"}));
  EXPECT_EQ(remote_shell_words({{"plm_rsh_agent", "ssh -4 : rsh"}}, none, rsh_alone, 30), Words{"rsh"});
  EXPECT_EQ(remote_shell_words({}, none, none, 30), Words{});
}

TEST(HostDirectory, GivesTheDaemonItsHostUserAndPort) {
  HostDirectory directory{{"ssh", "-x"}, {named("a"), named("b.example.org")}};
  directory.hosts[1].user = "joe";
  directory.hosts[1].port = 2222;
  directory = host_directory_from_json(to_json(directory));
  const std::string mark = "RINGRUN_HOST=1 ; export RINGRUN_HOST ;";
  EXPECT_EQ(daemon_command(directory, {"b.example.org", " orted", "--daemonize"}),
            (Words{"ssh", "-x", "-l", "joe", "-p", "2222", "b.example.org", mark, " orted", "--daemonize"}));
  EXPECT_EQ(daemon_command(directory, {"b", "-p", "22", "orted"}),
            (Words{"ssh", "-x", "-l", "joe", "-p", "2222", "b.example.org", mark, "orted"}));
  EXPECT_EQ(daemon_command(directory, {"-l", "ann", "c", "-p", "22", "orted"}),
            (Words{"ssh", "-x", "-l", "ann", "-p", "22", "c", "orted"}));
  EXPECT_NE(problem_of([&] { daemon_command(directory, {}); }), "");
}

}  // namespace
}  // namespace ringrun
