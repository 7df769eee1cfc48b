#include "launcher/probe/remote_shell.hpp"

#include <gtest/gtest.h>

#include "launcher/engine/host_directory.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

Host named(const std::string& name) {
  Host host;
  host.name = name;
  return host;
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

TEST(HostDirectory, OfTenThousandHostsFitsIntoAVariable) {
  HostDirectory directory{{"ssh"}, {}};
  for (int i = 0; i < 10'000; ++i) directory.hosts.push_back(named("n" + std::to_string(10'000 + i)));
  directory.hosts[7'000].port = 22;
  const std::string text = to_json(directory);
  EXPECT_LT(text.size(), 300u) << text;
  const HostDirectory read = host_directory_from_json(text);
  ASSERT_EQ(read.hosts.size(), 10'000u);
  EXPECT_EQ(host_place(read, {"n16999", "orted"}), 6'999);
  EXPECT_EQ(host_place(read, {"n17001", "orted"}), 7'001);
  EXPECT_EQ(read.hosts[7'000].port, 22);
  EXPECT_FALSE(read.hosts[7'001].port);
  for (int i = 0; i < 10'000; ++i)
    directory.hosts[static_cast<std::size_t>(i)].name = "n" + std::to_string(i * 7 % 10'000);
  EXPECT_LT(to_json(directory).size(), 128u << 10) << "also where no name follows on another";
}

TEST(RemoteShell, EntersTheContainerOfAHostThroughItsDockerAndKeepsEachWordWhole) {
  Host host = named("192.168.1.6");
  host.port = 22;
  host.attributes.container = HostContainer{"node"};
  const Words command{"exec", "'/my folder/ringrun'", "__agent"};
  EXPECT_EQ(remote_command({"ssh", "-x"}, host, command),
            (Words{"ssh", "-x", "-p", "22", "192.168.1.6", "docker", "exec", "-i", "node", "/bin/sh", "-c",
                   R"('exec '\''/my folder/ringrun'\'' __agent')"}));
  host.attributes.container->here = true;
  EXPECT_EQ(remote_command({}, host, command),
            (Words{"docker", "exec", "-i", "node", "/bin/sh", "-c", "exec '/my folder/ringrun' __agent"}));
}

TEST(HostDirectory, StartsTheDaemonInTheHostsContainer) {
  HostDirectory directory{{"ssh"}, {named("a"), named("127.0.0.3")}};
  directory.hosts[0].attributes.container = HostContainer{"node"};
  directory.hosts[1].attributes.container = HostContainer{"mine", true};
  directory = host_directory_from_json(to_json(directory));
  EXPECT_EQ(daemon_command(directory, {"a", "orted"}), (Words{"ssh", "a", "docker", "exec", "-i", "node", "/bin/sh",
                                                              "-c", "'RINGRUN_HOST=0 ; export RINGRUN_HOST ; orted'"}));
  EXPECT_EQ(daemon_command(directory, {"127.0.0.3", "orted"}),
            (Words{"docker", "exec", "-i", "mine", "/bin/sh", "-c", "RINGRUN_HOST=1 ; export RINGRUN_HOST ; orted"}));
}

}  // namespace
}  // namespace ringrun
