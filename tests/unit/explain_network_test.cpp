#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/explain_situation.hpp"

namespace ringrun::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The one fault of a situation; a failure where there are more or none.
Finding only_fault(const Situation& situation) {
  const Findings found = faults(situation);
  EXPECT_EQ(found.size(), 1u);
  for (const Finding& finding : found) SCOPED_TRACE(finding.id + ": " + finding.evidence);
  return found.empty() ? Finding{} : found.front();
}

TEST(Network, OfTwoHealthyHostsHasNoFault) {
  EXPECT_THAT(faults(healthy()), IsEmpty());
  EXPECT_THAT(faults(healthy(Transport::nccl)), IsEmpty());
}

TEST(Network, BehindAFirewallThatDropsIsAnErrorThatNamesDirectionPortsAndCommand) {
  Situation situation = healthy();
  cut(situation, 0, 1, Outcome::dropped);
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "F1");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.hosts, ElementsAre("b"));
  EXPECT_THAT(finding.evidence, HasSubstr("a cannot connect to b: 192.168.1.6 port 41234, 40111, 39123: nothing "
                                          "answered for 2 s"));
  EXPECT_THAT(finding.fix, HasSubstr("ip saddr 192.168.1.0/24 tcp dport 1024-65535 accept"));
  EXPECT_THAT(finding.fix, HasSubstr("ufw allow"));
}

TEST(Network, BehindAFirewallThatDropsBothWaysIsOneFindingOnBothHosts) {
  Situation situation = healthy();
  cut(situation, 0, 1, Outcome::dropped);
  cut(situation, 1, 0, Outcome::dropped);
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "F1");
  EXPECT_THAT(finding.hosts, ElementsAre("a", "b"));
  EXPECT_THAT(finding.evidence, HasSubstr("b cannot connect to a"));
}

TEST(Network, NamesTheHostWhoseFirewallCutsItFromAllOthers) {
  Situation situation = healthy();
  situation.hosts.push_back(made_host("c", "eth0", "192.168.1.7"));
  situation.network.hosts.push_back({{"eth0"}, "192.168.1.7", {"192.168.1.0/24"}});
  for (const int from : {0, 1}) {
    const std::string ip = from == 0 ? "192.168.1.5" : "192.168.1.6";
    situation.reach.push_back(made_link(from, 2, "192.168.1.7", ip, Outcome::reached));
    situation.reach.push_back(made_link(2, from, ip, "192.168.1.7", Outcome::reached));
  }
  for (const int other : {0, 2}) {
    cut(situation, other, 1, Outcome::dropped);
    cut(situation, 1, other, Outcome::dropped);
  }
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "F1");
  EXPECT_THAT(finding.hosts, ElementsAre("b"));
}

TEST(Network, WhoseFirewallRejectsOneDirectionStopsNcclAndOnlyWarnsOfMpi) {
  for (const Outcome outcome : {Outcome::refused, Outcome::no_host}) {
    Situation situation = healthy();
    cut(situation, 0, 1, outcome, 1);
    EXPECT_EQ(only_fault(situation).id, "F1");
    EXPECT_EQ(only_fault(situation).severity, Severity::warning);
    situation.transport = Transport::nccl;
    EXPECT_EQ(only_fault(situation).severity, Severity::error);
    EXPECT_EQ(only_fault(situation).id, "F1");
  }
}

TEST(Network, ThatSearchesForTheHostForSecondsIsNoRejection) {
  Situation situation = healthy();
  cut(situation, 0, 1, Outcome::no_host, 3060);
  EXPECT_EQ(only_fault(situation).severity, Severity::error);
  EXPECT_THAT(only_fault(situation).evidence, HasSubstr("no route to host after 3.1 s"));
}

TEST(Network, ThatRejectsBothWaysStopsMpiToo) {
  Situation situation = healthy();
  cut(situation, 0, 1, Outcome::refused, 1);
  cut(situation, 1, 0, Outcome::refused, 1);
  EXPECT_EQ(only_fault(situation).severity, Severity::error);
}

TEST(Network, WithSomePortsOpenTellsThemApart) {
  Situation situation = healthy();
  situation.reach[0].attempts[1].outcome = Outcome::dropped;
  situation.reach[0].attempts[1].milliseconds = 2000;
  situation.network.hosts[1] = {};
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "F2");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.evidence, HasSubstr("port 41234, 39123: reached; port 40111: nothing answered"));
  EXPECT_THAT(finding.fix, HasSubstr("--port-range LO-HI"));
}

TEST(Network, WithAPortRangeNeedsTheKernelsRangeInItForNccl) {
  Situation situation = healthy(Transport::nccl);
  situation.ports = PortRange{41000, 41100};
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "F2");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.hosts, ElementsAre("a", "b"));
  EXPECT_THAT(finding.fix, HasSubstr("sysctl -w net.ipv4.ip_local_port_range=\"41000 41100\""));
  EXPECT_THAT(finding.fix, HasSubstr("--port-range 41000-41100"));
  situation.transport = Transport::mpi;
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Network, ThatBlocksOnlyTheWayHomeIsTheLaunchersFirewall) {
  for (const bool launches_only : {true, false}) {
    Situation situation = healthy();
    situation.hosts[0].launches_only = launches_only;
    cut(situation, 1, 0, Outcome::refused, 1);
    const Finding finding = only_fault(situation);
    EXPECT_EQ(finding.id, "F3");
    EXPECT_EQ(finding.severity, Severity::error);
    EXPECT_THAT(finding.hosts, ElementsAre("a"));
    EXPECT_THAT(finding.fix, HasSubstr("oob_tcp_if_include"));
  }
}

TEST(Network, IsNotAskedForAWayToAHostThatOnlyLaunches) {
  Situation situation = healthy();
  situation.hosts[0].launches_only = true;
  cut(situation, 0, 1, Outcome::dropped);
  situation.network.hosts[1] = {{"enp3s0"}, "192.168.1.6", {"192.168.1.0/24"}};
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Network, ThatLosesLargePacketsSaysWhichSizePasses) {
  Situation situation = healthy();
  for (Link& link : situation.reach) {
    link.mtu_tried = 9000;
    link.mtu_passed = 1500;
    link.bulk_passed = 0;
  }
  for (HostView& host : situation.hosts) host.facts.interfaces.at(1).mtu = 9000;
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "F4");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.hosts, ElementsAre("a", "b"));
  EXPECT_THAT(finding.evidence, HasSubstr("9000 bytes from a (eth0) do not arrive at b (192.168.1.6); 1500 pass"));
  EXPECT_THAT(finding.fix, HasSubstr("ip link set dev eth0 mtu 1500   # on a"));
  EXPECT_THAT(finding.fix, HasSubstr("ip link set dev enp3s0 mtu 1500   # on b"));
}

TEST(Network, WhoseMasterPortIsTakenNamesTheHolder) {
  Situation situation = healthy();
  situation.hosts[0].facts.master_port_free = false;
  situation.hosts[0].facts.master_port_holder = "pid 4711 (python3)";
  situation.hosts[0].environment["MASTER_PORT"] = "8888";
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "F5");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_EQ(finding.evidence, "MASTER_PORT 8888 is taken by pid 4711 (python3)");
  EXPECT_THAT(finding.fix, HasSubstr("kill 4711"));
  EXPECT_THAT(finding.fix, HasSubstr("--master-port 29400"));
}

TEST(Network, WithAddressTranslationNamesBothAddresses) {
  Situation situation = healthy();
  situation.hosts[0].facts.interfaces[1].ipv4 = {{"10.0.0.5", 24}};
  situation.hosts[0].address = "10.0.0.5";
  situation.reach = {made_link(0, 1, "192.168.1.6", "10.0.0.5", Outcome::reached),
                     made_link(1, 0, "10.0.0.5", "192.168.1.6", Outcome::dropped, 2000)};
  situation.reach[0].seen_as = "192.168.1.1";
  situation.network.hosts[0] = {};
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "NAT");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.hosts, ElementsAre("a"));
  EXPECT_THAT(finding.evidence, HasSubstr("b cannot connect to a: 10.0.0.5 port 41234"));
  EXPECT_THAT(finding.evidence, HasSubstr("b sees a as 192.168.1.1"));
  EXPECT_THAT(finding.fix, HasSubstr("bridged"));
}

TEST(Network, ThatReachesAHostOnAnotherAddressForEachPeerHasNoOneInterface) {
  Situation situation = healthy(Transport::nccl);
  situation.network.hosts[1] = {};
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "NET");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.evidence, HasSubstr("enp3s0 192.168.1.6"));
}

TEST(Network, WithoutAWayEitherWaySaysSo) {
  Situation situation = healthy();
  cut(situation, 0, 1, Outcome::no_route, 0);
  cut(situation, 1, 0, Outcome::no_route, 0);
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "NET");
  EXPECT_THAT(finding.evidence, HasSubstr("network is unreachable"));
}

TEST(Container, BehindAPublishedPortIsToldItsOwnAddressAndTheCardToUse) {
  for (const Transport transport : {Transport::mpi, Transport::nccl}) {
    Situation situation = healthy(transport);
    put_on_bridge(situation, "192.168.1.6");
    situation.hosts[1].port = 2222;
    const Finding finding = only_fault(situation);
    EXPECT_EQ(finding.id, "C1b");
    EXPECT_EQ(finding.severity, Severity::error);
    EXPECT_THAT(finding.hosts, ElementsAre("b"));
    EXPECT_THAT(finding.evidence,
                HasSubstr("192.168.1.6 is none of this container's addresses; its own is 172.17.0.2"));
    EXPECT_THAT(finding.fix, HasSubstr("docker run --network host"));
    EXPECT_THAT(finding.fix, HasSubstr("sshd -p 2222"));
    EXPECT_THAT(finding.fix, HasSubstr("grep -w 192.168.1.6"));
  }
}

TEST(Container, NamedByItsBridgeAddressIsC1) {
  Situation situation = healthy();
  put_on_bridge(situation, "172.17.0.2");
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "C1");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.evidence, HasSubstr("others see it as 192.168.1.6"));
  EXPECT_THAT(finding.fix, HasSubstr("docker run --network host"));
}

TEST(Container, OnTheHostsNetworkIsHealthy) {
  Situation situation = healthy(Transport::nccl);
  situation.hosts[1].facts.system.container_marks = {"/.dockerenv"};
  EXPECT_THAT(faults(situation), IsEmpty());
}

TEST(Container, MarksDoNotMakeABlockedMachineAContainer) {
  Situation situation = healthy();
  situation.hosts[1].facts.system.container_marks = {"/.dockerenv"};
  situation.hosts[1].facts.interfaces = {made_interface("lo", InterfaceKind::loopback, "127.0.0.1", 8),
                                         made_interface("enp3s0", InterfaceKind::veth, "192.168.1.6")};
  cut(situation, 0, 1, Outcome::dropped);
  EXPECT_EQ(only_fault(situation).id, "F1");
}

TEST(Wsl2, BehindNatIsToldToMirror) {
  Situation situation = healthy();
  make_wsl(situation.hosts[0], "nat");
  cut(situation, 1, 0, Outcome::dropped);
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "W1");
  EXPECT_EQ(finding.severity, Severity::error);
  EXPECT_THAT(finding.evidence, HasSubstr("a is WSL2 in networking mode nat"));
  EXPECT_THAT(finding.fix, HasSubstr("[wsl2]\nnetworkingMode=mirrored"));
}

TEST(Wsl2, MirroredBehindItsFirewallIsToldTheSetting) {
  Situation situation = healthy();
  make_wsl(situation.hosts[0], "mirrored");
  cut(situation, 1, 0, Outcome::dropped);
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "W4");
  EXPECT_THAT(finding.fix, HasSubstr("Set-NetFirewallHyperVVMSetting"));
}

TEST(Wsl2, WithAContainerOnABridgeHasTwoTranslations) {
  Situation situation = healthy();
  make_wsl(situation.hosts[1], "nat");
  put_on_bridge(situation, "172.17.0.2");
  EXPECT_EQ(only_fault(situation).id, "W2");
}

TEST(Wsl2, WithDockerDesktopIsToldToUseDockerCe) {
  Situation situation = healthy();
  make_wsl(situation.hosts[1], "nat");
  situation.hosts[1].facts.system.container_marks = {"/.dockerenv"};
  situation.hosts[1].facts.interfaces[1].ipv4 = {{"192.168.65.3", 24}};
  situation.reach[0].address = "192.168.65.3";
  for (Attempt& attempt : situation.reach[0].attempts) attempt.outcome = Outcome::dropped;
  situation.network.hosts[1] = {};
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "W12");
  EXPECT_THAT(finding.fix, HasSubstr("docker-ce"));
}

TEST(Network, DoesNotBlameTheNetworkForAHostThatDidNotAnswer) {
  Situation situation = healthy();
  situation.hosts[1].fault = AgentFault::silent;
  situation.hosts[1].facts = {};
  situation.reach.clear();
  situation.network.hosts = {{}, {}};
  const Finding finding = only_fault(situation);
  EXPECT_EQ(finding.id, "L1");
  EXPECT_THAT(finding.fix, Not(HasSubstr("C1")));
}

}  // namespace
}  // namespace ringrun::test
