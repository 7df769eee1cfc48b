#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/mpi/remote_hosts.hpp"
#include "tests/mpi/ringrun_job.hpp"

namespace ringrun::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const char* const kWhoAmI =
    "echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $GROUP_RANK/$GROUP_WORLD_SIZE $(hostname)";

TEST_F(RingrunRemote, RanksKnowTheirHostsPlace) {
  const CommandResult result = remote({"-H", "127.0.0.2:2,127.0.0.3:1", "sh", "-c", kWhoAmI});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(sorted_lines(result.out), ElementsAre("0/3 0/2 0/2 n2", "1/3 1/2 0/2 n2", "2/3 0/1 1/2 n3"));
}

TEST_F(RingrunRemote, RanksFillTheLaunchingHostFirstAsWithMpirun) {
  char own[256] = "";
  gethostname(own, sizeof own - 1);
  const std::string name(own);
  const CommandResult result = remote({"-H", "127.0.0.3:2,localhost:1,127.0.0.2:1", "sh", "-c", kWhoAmI});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(sorted_lines(result.out),
              ElementsAre("0/4 0/1 0/3 " + name, "1/4 0/2 1/3 n3", "2/4 1/2 1/3 n3", "3/4 0/1 2/3 n2"));
}

TEST_F(RingrunRemote, HostsHaveTheirCoresAsSlotsWhateverTheMaskOfALogin) {
  const std::string hostfile = folder_ + "/a";
  std::ofstream(hostfile) << "127.0.0.2\n";
  const auto ranks = [&] {
    const CommandResult result = remote({"-hostfile", hostfile, "--bind-to", "core", "echo", "rank"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return lines(result.out).size();
  };
  const std::size_t cores = ranks();
  make_shell("taskset -c 0");
  EXPECT_EQ(ranks(), cores) << "as many as mpirun counts and binds";
}

TEST_F(RingrunRemote, UserAndPortReachTheRemoteShellOfAgentAndDaemon) {
  const std::string hostfile = folder_ + "/ab";
  std::ofstream(hostfile) << "joe@127.0.0.2 slots=1 port=2222\r\n127.0.0.3 slots=1 port=23\r\n";
  const CommandResult result = remote({"-hostfile", hostfile, "true"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(log(), HasSubstr("-l joe -p 2222 127.0.0.2 exec " + built_program("ringrun") + " __agent\n"));
  EXPECT_THAT(log(), HasSubstr("-l joe -p 2222 127.0.0.2 RINGRUN_HOST=0 ; export RINGRUN_HOST ;"));
  EXPECT_THAT(log(), HasSubstr("-p 23 127.0.0.3 RINGRUN_HOST=1 ; export RINGRUN_HOST ;"));
}

TEST_F(RingrunRemote, VariablesAndArgumentsReachRemoteRanks) {
  const std::string hostfile = folder_ + "/ab";
  std::ofstream(hostfile) << "127.0.0.2 slots=1 #: env.MINE=two\n127.0.0.3 slots=1\n#: env.ALL=\"a b\"\n";
  const CommandResult result = remote({"-hostfile", hostfile, "-x", "Q=it's;\"$x\"", "sh", "-c",
                                       "echo \"$RANK ${MINE:-none} $ALL $Q $NCCL_DEBUG $1\"", "x", "b  c"},
                                      {{"NCCL_DEBUG", "WARN"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(sorted_lines(result.out),
              ElementsAre("0 two a b it's;\"$x\" WARN b  c", "1 none a b it's;\"$x\" WARN b  c"));
}

TEST_F(RingrunRemote, AnEnvironmentThatIsolatesMpirunIsIgnoredAndSaid) {
  const CommandResult result = remote({"-H", "127.0.0.2", "sh", "-c", "hostname"}, {{"OMPI_MCA_plm", "isolated"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out, "n2\n");
  EXPECT_THAT(result.err, HasSubstr("ringrun: warning V8: OMPI_MCA_plm=isolated in the environment"));
}

TEST_F(RingrunRemote, DaemonsAreOfferedPortsOfTheRangeThatNobodyElseHas) {
  std::vector<int> held;
  for (int port = 41000; port <= 41009; ++port) {
    if (port == 41006 || port == 41007) continue;
    held.push_back(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const int reuse = 1;
    setsockopt(held.back(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<in_port_t>(port));
    ASSERT_EQ(bind(held.back(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0) << port;
    ASSERT_EQ(listen(held.back(), 1), 0) << port;
  }
  const CommandResult result =
      remote({"-v", "-H", "127.0.0.2,127.0.0.3", "--port-range", "41000-41099", "echo", "here"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("oob_tcp_dynamic_ipv4_ports 41006-41007 "));
  for (const int listener : held) close(listener);
}

TEST_F(RingrunRemote, AFailingRankIsNamedWithItsHost) {
  const CommandResult result =
      remote({"-H", "127.0.0.2,127.0.0.3", "sh", "-c", "[ $RANK = 1 ] && kill -SEGV $$; sleep 60; true"});
  EXPECT_EQ(result.exit_code, 139);
  EXPECT_THAT(result.err, HasSubstr("ringrun: rank 1 on n3: killed by signal 11 (SIGSEGV)"));
  EXPECT_TRUE(eventually([&] { return marked_processes(mark()).empty(); }));
}

TEST_F(RingrunRemote, AProgramThatAHostLacksIsFoundBeforeTheLaunch) {
  const CommandResult result = remote({"-H", "127.0.0.2,127.0.0.3", "/nowhere/program"});
  EXPECT_EQ(result.exit_code, 127);
  EXPECT_THAT(result.err, HasSubstr("/nowhere/program does not exist on 127.0.0.2, 127.0.0.3"));
  EXPECT_EQ(log().find("orted"), std::string::npos);
}

TEST_F(RingrunRemote, SigkillOfRingrunLeavesNothingOnAnyHost) {
  const std::string program = built_program("ringrun");
  const pid_t pid = fork();
  if (pid == 0) {
    for (const auto& [name, value] : kRoot) setenv(name.c_str(), value.c_str(), 1);
    if (freopen("/dev/null", "r", stdin) == nullptr) _exit(1);
    execl(program.c_str(), program.c_str(), "--mca", "plm_rsh_agent", shell_.c_str(), "-H", "127.0.0.2:2,127.0.0.3:2",
          "sh", "-c", "sleep 300; true", nullptr);
    _exit(127);
  }
  const auto sleeps = [&] {
    std::size_t count = 0;
    for (const pid_t found : marked_processes(mark())) count += program_of(found) == "sleep" ? 1 : 0;
    return count;
  };
  EXPECT_TRUE(eventually([&] { return sleeps() == 4; }));
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return marked_processes(mark()).empty(); }));
}

}  // namespace
}  // namespace ringrun::test
