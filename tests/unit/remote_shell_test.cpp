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

}  // namespace
}  // namespace ringrun
