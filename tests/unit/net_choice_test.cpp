#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/net/network_choice.hpp"

namespace ringrun {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Interface card(const std::string& name, const std::string& ip, int speed = 1000, int prefix = 24) {
  Interface interface;
  interface.name = name;
  interface.up = true;
  interface.speed = speed;
  interface.ipv4 = {{ip, prefix}};
  return interface;
}

Interface of_kind(InterfaceKind kind, const std::string& name, const std::string& ip, int prefix = 24) {
  Interface interface = card(name, ip, -1, prefix);
  interface.kind = kind;
  interface.point_to_point = kind == InterfaceKind::tun;
  return interface;
}

Interface docker0() { return of_kind(InterfaceKind::bridge, "docker0", "172.17.0.1", 16); }
Interface loopback() { return of_kind(InterfaceKind::loopback, "lo", "127.0.0.1", 8); }

NetworkHost host(const std::vector<Interface>& interfaces, const std::string& named = "") {
  return {interfaces, named, "", {}};
}

Link link_to(int from, int to, const std::string& address, Outcome outcome = Outcome::reached) {
  Link link;
  link.from = from;
  link.to = to;
  link.address = address;
  link.attempts = {{40000, Outcome::reached}, {40001, outcome}};
  return link;
}

/// Every host tries every candidate of every other, and reaches all but `unreached`.
ReachMatrix probed(const std::vector<NetworkHost>& hosts, const std::vector<Link>& unreached = {}) {
  ReachMatrix matrix = unreached;
  for (int from = 0; from < static_cast<int>(hosts.size()); ++from) {
    for (int to = 0; to < static_cast<int>(hosts.size()); ++to) {
      if (from == to) continue;
      for (const std::string& address : candidate_addresses(hosts[to].interfaces)) {
        const bool known = std::any_of(unreached.begin(), unreached.end(), [&](const Link& link) {
          return link.from == from && link.to == to && link.address == address;
        });
        if (!known) matrix.push_back(link_to(from, to, address));
      }
    }
  }
  return matrix;
}

TEST(CandidateAddresses, AreTheFirstOfEachInterfaceWithTheWaysOutsideFirst) {
  Interface two = card("eth0", "192.168.1.5");
  two.ipv4.push_back({"192.168.1.55", 24});
  Interface down = card("eth9", "10.9.9.9");
  down.up = false;
  EXPECT_THAT(candidate_addresses({loopback(), docker0(), two, down, card("ib0", "10.1.0.5", 100000)}),
              ElementsAre("10.1.0.5", "192.168.1.5", "172.17.0.1"));
  EXPECT_THAT(candidate_addresses({loopback()}), ElementsAre("127.0.0.1"));
  EXPECT_THAT(candidate_addresses({loopback(), down}), IsEmpty());
}

TEST(NetworkChoice, PassesOverADockerBridgeThatBothHostsHave) {
  const std::vector<NetworkHost> hosts = {host({docker0(), card("eth0", "192.168.1.5")}),
                                          host({docker0(), card("enp3s0", "192.168.1.6")})};
  const auto choice = choose_network(hosts, probed(hosts, {link_to(0, 1, "172.17.0.1", Outcome::wrong_host),
                                                           link_to(1, 0, "172.17.0.1", Outcome::wrong_host)}));
  EXPECT_TRUE(choice.complete());
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("eth0"));
  EXPECT_THAT(choice.hosts[1].interfaces, ElementsAre("enp3s0"));
  EXPECT_EQ(choice.hosts[1].address, "192.168.1.6");
  EXPECT_THAT(choice.networks(), ElementsAre("192.168.1.0/24"));
}

TEST(NetworkChoice, LeavesOutPrivateNetworksOfOneSide) {
  const std::vector<NetworkHost> hosts = {
      host({card("eth1", "10.9.0.1", 100000), card("eth0", "192.168.1.5")}, "192.168.1.5"),
      host({card("enp3s0", "192.168.1.6")}, "192.168.1.6")};
  const auto choice = choose_network(hosts, probed(hosts, {link_to(1, 0, "10.9.0.1", Outcome::dropped)}));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("eth0"));
}

TEST(NetworkChoice, TakesACardBeforeABridgeOrATunnelThatWorksToo) {
  const std::vector<NetworkHost> hosts = {
      host({of_kind(InterfaceKind::tun, "tailscale0", "100.64.0.1", 32), card("eth0", "192.168.1.5")}, "100.64.0.1"),
      host({of_kind(InterfaceKind::bridge, "enp3s0.20", "10.20.0.6"),
            of_kind(InterfaceKind::tun, "tun0", "10.8.0.2", 24), card("enp3s0", "192.168.1.6")})};
  const auto choice = choose_network(hosts, probed(hosts));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("eth0"));
  EXPECT_THAT(choice.hosts[1].interfaces, ElementsAre("enp3s0"));
}

TEST(NetworkChoice, TakesTheBridgeOfTheHostsCardForACard) {
  Interface port = card("eth0", "", 10000);
  port.ipv4.clear();
  port.master = "vmbr0";
  const std::vector<NetworkHost> hosts = {host({of_kind(InterfaceKind::tun, "flannel.1", "10.244.0.0", 32), port,
                                                of_kind(InterfaceKind::bridge, "vmbr0", "192.168.1.5"), docker0()}),
                                          host({card("enp3s0", "192.168.1.6")})};
  const auto choice = choose_network(hosts, probed(hosts));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("vmbr0"));
  EXPECT_EQ(candidate_addresses(hosts[0].interfaces).front(), "192.168.1.5");
}

TEST(NetworkChoice, LeavesHostsWithIpv6AloneAlone) {
  Interface six = card("eth0", "");
  six.ipv4.clear();
  six.ipv6 = {{"fe80::1", 64}};
  EXPECT_THAT(candidate_addresses({loopback(), six}), IsEmpty());
  six.ipv6.push_back({"2001:db8::5", 64});
  EXPECT_THAT(candidate_addresses({loopback(), six}), IsEmpty());
  EXPECT_FALSE(choose_network({host({loopback(), six})}, {}).complete());
}

TEST(NetworkChoice, TakesATunnelOrABridgeWhereNothingElseReaches) {
  const std::vector<NetworkHost> hosts = {
      host({card("eth0", "192.168.1.5"), of_kind(InterfaceKind::tun, "tailscale0", "100.64.0.1", 32)}),
      host({of_kind(InterfaceKind::bridge, "br0", "10.0.0.6")})};
  const auto choice = choose_network(hosts, probed(hosts, {link_to(1, 0, "192.168.1.5", Outcome::no_route)}));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("tailscale0"));
  EXPECT_THAT(choice.hosts[1].interfaces, ElementsAre("br0"));
  EXPECT_THAT(choice.networks(), ElementsAre("100.64.0.1/32", "10.0.0.0/24"));
}

TEST(NetworkChoice, HasNothingForAHostBehindAddressTranslation) {
  const std::vector<NetworkHost> hosts = {host({card("eth0", "172.28.1.5")}), host({card("enp3s0", "192.168.1.6")})};
  const auto choice = choose_network(hosts, probed(hosts, {link_to(1, 0, "172.28.1.5", Outcome::no_route)}));
  EXPECT_FALSE(choice.complete());
  EXPECT_THAT(choice.hosts[0].interfaces, IsEmpty());
  EXPECT_EQ(choice.hosts[0].address, "");
  EXPECT_THAT(choice.hosts[1].interfaces, ElementsAre("enp3s0"));
}

TEST(NetworkChoice, NeedsEveryPeerThatTried) {
  const std::vector<NetworkHost> hosts = {host({card("eth0", "10.0.0.1", 10000), card("eth1", "10.1.0.1")}),
                                          host({card("eth0", "10.0.0.2", 10000), card("eth1", "10.1.0.2")}),
                                          host({card("eth0", "10.0.0.3", 10000), card("eth1", "10.1.0.3")})};
  const auto choice = choose_network(hosts, probed(hosts, {link_to(2, 0, "10.0.0.1", Outcome::refused)}));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("eth1"));
  EXPECT_THAT(choice.hosts[1].interfaces, ElementsAre("eth0"));
  EXPECT_THAT(choice.networks(), ElementsAre("10.1.0.0/24", "10.0.0.0/24"));
}

TEST(NetworkChoice, TakesTheFastCardsTogetherAndTheOneNearestToTheGpusFirst) {
  NetworkHost one = host({card("eth0", "192.168.1.5"), card("ens1", "10.1.0.5", 100000),
                          card("ens2", "10.2.0.5", 100000), card("ens3", "10.2.0.55", 100000)});
  one.interfaces[1].pci_bus_id = "0000:17:00.0";
  one.interfaces[2].pci_bus_id = "0000:b1:00.0";
  one.interfaces[3].pci_bus_id = "0000:c1:00.0";
  one.gpu_bus_ids = {"00000000:B5:00.0"};
  NetworkHost other = one;
  other.interfaces[1].ipv4 = {{"10.1.0.6", 24}};
  other.interfaces[2].ipv4 = {{"10.2.0.6", 24}};
  other.gpu_bus_ids.clear();
  const std::vector<NetworkHost> hosts = {one, other};
  const auto choice = choose_network(hosts, probed(hosts));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("ens2", "ens1")) << "ens3 is a twin on ens2's network";
  EXPECT_THAT(choice.hosts[1].interfaces, ElementsAre("ens1", "ens2")) << "without GPUs the kernel's order";
  EXPECT_THAT(choice.hosts[0].networks, ElementsAre("10.2.0.0/24", "10.1.0.0/24"));
  EXPECT_EQ(choice.hosts[0].address, "10.2.0.5");
}

TEST(NetworkChoice, PutsTheNamedAddressFirstAmongEqualCards) {
  const std::vector<NetworkHost> hosts = {host({card("eth0", "10.1.0.5"), card("eth1", "10.2.0.5")}, "10.2.0.5"),
                                          host({card("eth0", "10.1.0.6"), card("eth1", "10.2.0.6")}, "10.2.0.6")};
  const auto choice = choose_network(hosts, probed(hosts));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("eth1", "eth0"));
}

TEST(NetworkChoice, LeavesASlowCardOutThoughTheHostIsNamedByIt) {
  const std::vector<NetworkHost> hosts = {
      host({card("eth0", "192.168.1.5"), card("ens1", "10.1.0.5", 100000)}, "192.168.1.5"),
      host({card("eth0", "192.168.1.6"), card("ens1", "10.1.0.6", 100000)}, "192.168.1.6")};
  const auto choice = choose_network(hosts, probed(hosts));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("ens1"));
  EXPECT_THAT(choice.networks(), ElementsAre("10.1.0.0/24"));
}

TEST(NetworkChoice, WithoutProbesTrustsTheNamedAddressAlone) {
  const std::vector<NetworkHost> hosts = {
      host({docker0(), card("eth1", "10.9.0.1", 100000), card("eth0", "192.168.1.5")}, "192.168.1.5"),
      host({docker0(), card("enp3s0", "192.168.1.6")})};
  const auto choice = choose_network(hosts, {});
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("eth0"));
  EXPECT_THAT(choice.hosts[1].interfaces, ElementsAre("enp3s0"));
}

TEST(NetworkChoice, PrefersWhatWasProvenToWhatNobodyTried) {
  const std::vector<NetworkHost> hosts = {host({card("eth1", "10.9.0.1", 100000), card("eth0", "192.168.1.5")}),
                                          host({card("enp3s0", "192.168.1.6")})};
  const auto choice = choose_network(hosts, {link_to(1, 0, "192.168.1.5"), link_to(0, 1, "192.168.1.6")});
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("eth0"));
}

TEST(NetworkChoice, KeepsTheUsersInterfaceEvenWhereItIsNotReached) {
  std::vector<NetworkHost> hosts = {host({card("eth0", "192.168.1.5"), docker0()}),
                                    host({card("enp3s0", "192.168.1.6")})};
  hosts[0].wanted = "docker0";
  const auto choice = choose_network(hosts, probed(hosts, {link_to(1, 0, "172.17.0.1", Outcome::refused)}));
  EXPECT_THAT(choice.hosts[0].interfaces, ElementsAre("docker0"));
  EXPECT_EQ(choice.hosts[0].address, "172.17.0.1");
}

TEST(NetworkChoice, OfLoneLoopbackIsLoopback) {
  const auto choice = choose_network({host({loopback()})}, {});
  EXPECT_TRUE(choice.complete());
  EXPECT_EQ(choice.hosts[0].address, "127.0.0.1");
}

}  // namespace
}  // namespace ringrun
