// Jobs that run, and that a rule could take for broken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/explain/output.hpp"
#include "tests/unit/explain_situation.hpp"

namespace ringrun::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Transport nccl = Transport::nccl;

/// The severity of the one finding with this id besides healthy()'s notes.
Severity severity_of(const Situation& situation, const std::string& id) {
  for (const Finding& finding : find_faults(situation)) {
    if (finding.id == id) return finding.severity;
  }
  ADD_FAILURE() << "no " << id;
  return Severity::error;
}

/// A second card on both hosts that all reach, slower than the chosen one.
void add_cards(Situation& situation) {
  for (int host : {0, 1}) {
    const std::string ip = "10.1.0." + std::to_string(5 + host);
    situation.hosts[static_cast<std::size_t>(host)].facts.interfaces.push_back(
        made_interface("ib0", InterfaceKind::hardware, ip));
    situation.reach.push_back(made_link(1 - host, host, ip, "10.1.0.1", Outcome::reached));
  }
}

/// A program of the user's that may use NCCL or not.
Situation guessed() {
  Situation situation = healthy(nccl);
  situation.is_worker = false;
  situation.transport_guessed = true;
  return situation;
}

TEST(Healthy, IsAnIncludeOfACardThatPeersReachThoughAnotherIsFaster) {
  Situation situation = healthy();
  add_cards(situation);
  situation.parameters = {{"btl_tcp_if_include", "ib0"}};
  EXPECT_THAT(faults(situation), IsEmpty());
  situation.parameters = {{"btl_tcp_if_exclude", "lo,docker0,eth0,enp3s0"}};
  EXPECT_THAT(faults(situation), IsEmpty());
  for (Link& link : situation.reach) {
    if (link.address == "10.1.0.6") link.attempts[0].outcome = Outcome::dropped;
  }
  EXPECT_EQ(severity_of(situation, "I7"), Severity::error);
}

TEST(Healthy, IsACardThatOnlyALaunchingHostDoesNotReach) {
  Situation situation = healthy(nccl);
  situation.hosts.push_back(made_host("login", "eth0", "192.168.1.9"));
  situation.hosts[0].local = false;
  situation.hosts[2].local = situation.hosts[2].launches_only = true;
  situation.network.hosts.push_back({{"eth0"}, "192.168.1.9", {"192.168.1.0/24"}});
  add_cards(situation);
  situation.reach.push_back(made_link(2, 1, "10.1.0.6", "192.168.1.9", Outcome::dropped));
  for (HostView& host : situation.hosts) host.environment["NCCL_SOCKET_IFNAME"] = "ib0";
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Healthy, IsADaemonThatDidNotTellItsVersion) {
  Situation situation = healthy();
  situation.hosts[1].facts.software.open_mpi.clear();
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Healthy, IsTheBridgeOfAHostsCardBesideAnother) {
  Situation situation = healthy(nccl);
  for (HostView& host : situation.hosts) {
    Interface& card = host.facts.interfaces[1];
    Interface bridge = card;
    bridge.kind = InterfaceKind::bridge;
    bridge.name = "br0";
    card.ipv4.clear();
    card.master = "br0";
    host.facts.interfaces.push_back(bridge);
    host.environment["NCCL_SOCKET_IFNAME"] = "br0";
  }
  situation.parameters = {{"btl_tcp_if_exclude", "lo,docker0"}};
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Healthy, IsAnNcclOfTheSystemThatTheProgramNeedNotUse) {
  Situation situation = healthy(nccl);
  situation.is_worker = false;
  situation.hosts[1].facts.software.nccl = "2.18.1";
  EXPECT_THAT(faults(situation), IsEmpty());
  EXPECT_EQ(severity_of(situation, "V1"), Severity::note);
  situation.hosts[1].facts.software.driver_cuda = 11080;
  EXPECT_THAT(faults(situation), IsEmpty()) << "the worker alone was built for CUDA 12";
  situation.hosts[1].facts.software.nccl.clear();
  situation.hosts[1].facts.software.nccl_path.clear();
  EXPECT_EQ(severity_of(situation, "V9"), Severity::note);
}

TEST(Healthy, MayBeWhatBreaksOnlyAnNcclThatIsGuessed) {
  Situation situation = guessed();
  situation.hosts[1].environment["NCCL_PROTO"] = "LL";
  situation.hosts[1].facts.fabric.infiniband = {made_card()};
  situation.hosts[1].facts.gpus[0].compute_mode = "prohibited";
  situation.ports = PortRange{41000, 41100};
  cut(situation, 0, 1, Outcome::refused, 1);
  for (const char* id : {"V2", "V3", "G3", "F2", "F1"}) {
    EXPECT_EQ(severity_of(situation, id), Severity::warning) << id;
  }
  situation.transport_guessed = false;
  for (const char* id : {"V2", "V3", "G3", "F2", "F1"}) {
    EXPECT_EQ(severity_of(situation, id), Severity::error) << id;
  }
}

TEST(Healthy, IsAnOpenMpiInAFolderThatNamesACompilerOrOfRhel) {
  Situation situation = healthy();
  const auto stand = [&](const std::string& library, const std::string& daemon) {
    situation.hosts[1].facts.program.mpi_library = library;
    situation.hosts[1].facts.software.open_mpi_path = daemon;
  };
  stand("/sw/openmpi/4.1.6-intel-2023/lib/libmpi.so.40", "/sw/openmpi/4.1.6-intel-2023/bin/orted");
  EXPECT_THAT(faults(situation), IsEmpty());
  stand("/usr/lib64/openmpi/lib/libmpi.so.40", "/usr/lib64/openmpi/bin/orted");
  EXPECT_THAT(faults(situation), IsEmpty());
  stand("/opt/intel/mpi/lib/libmpi.so.12", "/usr/bin/orted");
  EXPECT_EQ(severity_of(situation, "V7"), Severity::error);
}

TEST(Healthy, IsAPathWhoseSmallerSizeTcpFinds) {
  Situation situation = healthy();
  situation.reach[0].mtu_tried = 9000;
  situation.reach[0].mtu_passed = 1472;
  for (const int passed : {-1, 1}) {
    situation.reach[0].bulk_passed = passed;
    EXPECT_EQ(severity_of(situation, "F4"), Severity::note);
  }
}

TEST(Healthy, IsAProgramThatDoesNotUseTheShellsMasterPort) {
  Situation situation = healthy();
  situation.hosts[0].facts.master_port_free = false;
  situation.launcher_environment["MASTER_PORT"] = "80";
  EXPECT_EQ(severity_of(situation, "F5"), Severity::warning);
  situation.hosts[0].environment["MASTER_PORT"] = "80";
  EXPECT_EQ(severity_of(situation, "F5"), Severity::error);
  EXPECT_THAT(faults(situation)[0].evidence, HasSubstr("80 is not allowed"));
}

TEST(Healthy, IsOneSidedInfinibandThatNcclDoesNotTake) {
  Situation situation = healthy(nccl);
  InfinibandDevice card = made_card();
  situation.hosts[1].facts.fabric.infiniband = {card};
  EXPECT_EQ(severity_of(situation, "V3"), Severity::error);
  for (const char* list : {"^mlx5", "=mlx5", "mlx4_0:1"}) {
    situation.hosts[1].environment["NCCL_IB_HCA"] = list;
    EXPECT_THAT(faults(situation), IsEmpty()) << list;
  }
  situation.hosts[1].environment.clear();
  for (HostView& host : situation.hosts) host.environment["NCCL_NET"] = "socket";
  EXPECT_THAT(faults(situation), IsEmpty());
  situation.hosts[0].environment["NCCL_NET"] = "Socket";
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Healthy, AreEightCardsInOneNetworkWithOneWarning) {
  Situation situation = healthy(nccl);
  for (int i = 0; i < 7; ++i) {
    situation.hosts[1].facts.interfaces.push_back(
        made_interface("enp" + std::to_string(10 + i), InterfaceKind::hardware, "192.168.1.6" + std::to_string(i)));
  }
  const Findings found = faults(situation);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].id, "I4");
  EXPECT_THAT(found[0].hosts, ElementsAre("b"));
  EXPECT_THAT(found[0].fix, testing::Not(HasSubstr("addr del")));
}

TEST(Healthy, AreNcclsFirstRetriesAndAPortThatIsTaken) {
  const auto retry = [](int count) {
    return explain_line(
        "NCCL INFO socketPollConnect: connect to 192.168.1.6<40111> returned Connection refused, retrying (" +
        std::to_string(count) + "/34) after sleep for 100 msec");
  };
  EXPECT_FALSE(retry(1)->fatal);
  EXPECT_FALSE(retry(4)->fatal);
  EXPECT_TRUE(retry(5)->fatal);
  EXPECT_TRUE(retry(34)->fatal);
  EXPECT_FALSE(explain_line("bind: Address already in use")->fatal);
}

}  // namespace
}  // namespace ringrun::test
