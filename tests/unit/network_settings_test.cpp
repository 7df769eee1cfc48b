#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/preflight/network_settings.hpp"

namespace ringrun {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

HostView host(const std::string& name, const std::string& interface, const std::string& address) {
  HostView view;
  view.name = name;
  view.address = address;
  view.ranks = 1;
  Interface card;
  card.name = interface;
  card.up = true;
  card.ipv4 = {{address, 24}};
  view.facts.interfaces = {card};
  return view;
}

/// The two machines of hostfiles/ab, each reached by the other.
Situation two_hosts() {
  Situation situation;
  situation.hosts = {host("a", "eth0", "192.168.1.5"), host("b", "enp3s0", "192.168.1.6")};
  situation.network.hosts = {{{"eth0"}, "192.168.1.5", {"192.168.1.0/24"}},
                             {{"enp3s0"}, "192.168.1.6", {"192.168.1.0/24"}}};
  situation.reach = {{0, 1, "192.168.1.6", {{4000, Outcome::reached, 0, 1}}, "", "", 0, 0}};
  return situation;
}

TEST(NetworkSettings, EachHostGetsItsOwnInterfaceByItsExactName) {
  const NetworkSettings settings = network_settings(two_hosts());
  EXPECT_EQ(settings.environment[0].at("NCCL_SOCKET_IFNAME"), "=eth0");
  EXPECT_EQ(settings.environment[1].at("NCCL_SOCKET_IFNAME"), "=enp3s0");
  EXPECT_EQ(settings.environment[1].at("GLOO_SOCKET_IFNAME"), "enp3s0");
  EXPECT_EQ(settings.master_address, "192.168.1.5");
  EXPECT_THAT(settings.lines, ElementsAre("a uses eth0 192.168.1.5", "b uses enp3s0 192.168.1.6"));
}

TEST(NetworkSettings, OpenMpiIsToldTheNetworksAsCidr) {
  const NetworkSettings settings = network_settings(two_hosts());
  EXPECT_THAT(settings.parameters,
              ElementsAre(Pair("btl_tcp_if_include", "192.168.1.0/24"), Pair("oob_tcp_if_include", "192.168.1.0/24")));
}

TEST(NetworkSettings, WhatTheUserSetStays) {
  Situation situation = two_hosts();
  situation.hosts[0].environment["NCCL_SOCKET_IFNAME"] = "eth1";
  situation.hosts[1].facts.configuration.environment["GLOO_SOCKET_IFNAME"] = "enp4s0";
  situation.parameters = {{"btl_tcp_if_exclude", "lo"}};
  const NetworkSettings settings = network_settings(situation);
  EXPECT_THAT(settings.environment[0], Not(Contains(Pair("NCCL_SOCKET_IFNAME", testing::_))));
  EXPECT_THAT(settings.environment[1], Not(Contains(Pair("GLOO_SOCKET_IFNAME", testing::_))));
  EXPECT_THAT(settings.parameters, ElementsAre(Pair("oob_tcp_if_include", "192.168.1.0/24")));
}

TEST(NetworkSettings, AParameterFileOnAnyHostIsTheUsersWordToo) {
  Situation situation = two_hosts();
  situation.hosts[1].facts.configuration.mca_files["/etc/openmpi/openmpi-mca-params.conf"]["btl_tcp_if_include"] =
      "enp3s0";
  EXPECT_THAT(network_settings(situation).parameters, ElementsAre(Pair("oob_tcp_if_include", "192.168.1.0/24")));
}

TEST(NetworkSettings, TheLaunchersNetworkIsForTheDaemonsAlone) {
  Situation situation = two_hosts();
  situation.hosts.push_back(host("laptop", "wlan0", "10.1.0.9"));
  situation.hosts[2].launches_only = true;
  situation.network.hosts.push_back({{"wlan0"}, "10.1.0.9", {"10.1.0.0/24"}});
  const NetworkSettings settings = network_settings(situation);
  EXPECT_THAT(settings.parameters, ElementsAre(Pair("btl_tcp_if_include", "192.168.1.0/24"),
                                               Pair("oob_tcp_if_include", "192.168.1.0/24,10.1.0.0/24")));
  EXPECT_THAT(settings.environment[2], IsEmpty());
}

TEST(NetworkSettings, AHostThatNobodyReachesLeavesOpenMpisOwnChoice) {
  Situation situation = two_hosts();
  situation.network.hosts[1] = {};
  const NetworkSettings settings = network_settings(situation);
  EXPECT_THAT(settings.parameters, IsEmpty());
  EXPECT_THAT(settings.environment[1], IsEmpty());
}

TEST(NetworkSettings, APortRangeIsSharedOutWithoutOverlap) {
  Situation situation = two_hosts();
  situation.ports = PortRange{20000, 20099};
  EXPECT_THAT(network_settings(situation).parameters,
              testing::IsSupersetOf({Pair("btl_tcp_port_min_v4", "20010"), Pair("btl_tcp_port_range_v4", "80"),
                                     Pair("oob_tcp_dynamic_ipv4_ports", "20000-20009")}));
}

TEST(NetworkSettings, InfinibandCardsAreNamedWhereEveryHostHasOne) {
  Situation situation = two_hosts();
  InfinibandDevice card;
  card.name = "mlx5_0";
  card.active = true;
  situation.hosts[0].facts.fabric.infiniband = {card};
  EXPECT_THAT(network_settings(situation).environment[0], Not(Contains(Pair("NCCL_IB_HCA", testing::_))));
  situation.hosts[1].facts.fabric.infiniband = {card};
  EXPECT_THAT(network_settings(situation).environment[0], Contains(Pair("NCCL_IB_HCA", "=mlx5_0")));
}

TEST(NetworkSettings, ARoceCardOfAnInterfaceThatNobodyReachesIsLeftOut) {
  Situation situation = two_hosts();
  InfinibandDevice reached{"mlx5_0", true, true, true, 100, "0000:01:00.0"};
  InfinibandDevice unreached{"mlx5_1", true, true, true, 100, "0000:02:00.0"};
  for (HostView& view : situation.hosts) {
    view.facts.interfaces[0].pci_bus_id = "0000:01:00.0";
    view.facts.fabric.infiniband = {reached, unreached};
  }
  EXPECT_THAT(network_settings(situation).environment[0], Contains(Pair("NCCL_IB_HCA", "=mlx5_0")));
}

TEST(NetworkSettings, NcclSaysItsWarningsOnStandardErrorUnlessTheUserSaidHow) {
  Situation situation;
  situation.hosts = {host("a", "eth0", "192.168.1.5"), host("b", "enp3s0", "192.168.1.6")};
  for (HostView& view : situation.hosts) view.facts.gpus.emplace_back();
  situation.hosts[1].environment["NCCL_DEBUG"] = "INFO";
  const NetworkSettings settings = network_settings(situation);
  EXPECT_THAT(settings.environment[0],
              testing::UnorderedElementsAre(Pair("NCCL_DEBUG", "WARN"), Pair("NCCL_DEBUG_FILE", "/dev/stderr")));
  EXPECT_THAT(settings.environment[1], IsEmpty());
}

}  // namespace
}  // namespace ringrun
