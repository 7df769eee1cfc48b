#include "launcher/run/start_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "launcher/run/engine_connections.hpp"
#include "lib/net/free_port.hpp"

namespace ringrun {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// The launcher runs on a; d has no rank.
const std::vector<StartedHost> kHosts = {{"a", {"192.168.1.5"}, 1, true},
                                         {"b", {"192.168.1.6"}, 2, false},
                                         {"c", {"192.168.1.7"}, 1, false},
                                         {"d", {}, 0, false}};

TEST(StartWatch, BlamesTheHostThatIsFurthestBehind) {
  StartWatch watch(kHosts, EngineKind::openmpi4, true);
  EXPECT_EQ(watch.stalled({}).stage, StartStage::shell);
  EXPECT_THAT(watch.stalled({}).hosts, ElementsAre("b", "c"));
  watch.add(ShellRecord{1, std::nullopt});
  EXPECT_THAT(watch.stalled({}).hosts, ElementsAre("c"));
  watch.add(ShellRecord{2, std::nullopt});
  EXPECT_EQ(watch.stalled({"192.168.1.7"}).stage, StartStage::daemon);
  EXPECT_THAT(watch.stalled({"192.168.1.7"}).hosts, ElementsAre("b"));
  EXPECT_EQ(watch.stalled({"192.168.1.6", "192.168.1.7"}).stage, StartStage::wrapper);
  EXPECT_THAT(watch.stalled({"192.168.1.6", "192.168.1.7"}).hosts, ElementsAre("a", "b", "c"));
}

TEST(StartWatch, IsCompleteWhenEachHostWithRanksHasOne) {
  StartWatch watch(kHosts, EngineKind::openmpi4, true);
  watch.add(StartRecord{0, 0, 5});
  watch.add(StartRecord{2, 1, 5});
  EXPECT_FALSE(watch.complete());
  watch.add(StartRecord{3, 2, 5});
  EXPECT_TRUE(watch.complete());
}

TEST(StartWatch, TellsAShellThatFailedFromADaemonThatDid) {
  StartWatch watch(kHosts, EngineKind::openmpi4, true);
  watch.add(ShellRecord{2, 255});
  EXPECT_TRUE(watch.has_failed_shell());
  EXPECT_THAT(stall_words(watch.stalled({})), HasSubstr("remote shell: that to c ended with code 255"));
  StartWatch other(kHosts, EngineKind::openmpi4, true);
  other.add(ShellRecord{1, std::nullopt});
  other.add(ShellRecord{1, 127});
  EXPECT_THAT(stall_words(other.stalled({})), HasSubstr("daemon: mpirun's daemon on b ended with code 127"));
}

TEST(StartWatch, ForgetsTheShellOfAHostThatHasStarted) {
  StartWatch watch(kHosts, EngineKind::openmpi5, true);
  watch.add(StartRecord{1, 1, 5});
  // Open MPI 5's daemon stays in the foreground of its shell, which ends with it.
  watch.add(ShellRecord{1, 143});
  EXPECT_FALSE(watch.has_failed_shell());
}

TEST(StartWatch, SeesOnlyWhatTheEngineShows) {
  EXPECT_EQ(StartWatch(kHosts, EngineKind::openmpi4, false).stalled({}).stage, StartStage::daemon);
  EXPECT_EQ(StartWatch(kHosts, EngineKind::slurm, false).stalled({}).stage, StartStage::step);
}

TEST(EngineConnections, AreTheEstablishedOnesOfItsOwnSockets) {
  const std::string table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 0501A8C0:C350 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11 1 0 100 0\n"
      "   1: 0501A8C0:C350 0601A8C0:9C40 01 00000000:00000000 00:00000000 00000000     0        0 12 1 0 20 4\n"
      "   2: 0501A8C0:C350 0701A8C0:9C40 01 00000000:00000000 00:00000000 00000000     0        0 99 1 0 20 4\n"
      "   3: 0000000000000000FFFF00000501A8C0:C350 0000000000000000FFFF00000801A8C0:9C40 01 00000000:00000000 "
      "00:00000000 00000000     0        0 13 1 0 20 4\n";
  EXPECT_THAT(connected_addresses(table, {"11", "12", "13"}), UnorderedElementsAre("192.168.1.6", "192.168.1.8"));
  EXPECT_THAT(listening_ports(table, {"11", "12", "13"}), ElementsAre(50000));
  EXPECT_THAT(listening_ports(table, {"12", "13"}), testing::IsEmpty());
}

TEST(EngineConnections, AreSeenOfARealProcess) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int port = ntohs(address.sin_port);
  EXPECT_THAT(listening_ports(getpid()), testing::Contains(port));
  EXPECT_FALSE(may_listen_on(port));
  close(listener);
  EXPECT_THAT(listening_ports(getpid()), testing::Not(testing::Contains(port)));
  EXPECT_TRUE(may_listen_on(port));
}

}  // namespace
}  // namespace ringrun
