#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "launcher/preflight/network_settings.hpp"
#include "launcher/preflight/port_shares.hpp"
#include "lib/error.hpp"

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
  situation.daemon_ports = PortRange{20004, 20005};
  const NetworkSettings settings = network_settings(situation);
  EXPECT_THAT(settings.parameters, Contains(Pair("oob_tcp_dynamic_ipv4_ports", "20004-20005")));
  ASSERT_TRUE(settings.daemon_ports);
  EXPECT_EQ(settings.daemon_ports->first, 20004);
}

TEST(NetworkSettings, JobsAtOnceOfferTheirDaemonsOtherPorts) {
  const auto offered = [](PortRange ports, int start, const std::set<int>& taken) {
    const PortRange part = daemon_ports(
        ports, [&](int port) { return taken.count(port) == 0; }, start);
    return std::to_string(part.first) + "-" + std::to_string(part.last);
  };
  const PortRange hundred{20000, 20099};
  EXPECT_EQ(offered(hundred, 0, {}), "20000-20001");
  EXPECT_EQ(offered(hundred, 6, {}), "20002-20003") << "the next process";
  EXPECT_EQ(offered(hundred, 0, {20001, 20002}), "20004-20005");
  EXPECT_EQ(offered(hundred, 4, {20009}), "20000-20001");
  EXPECT_EQ(offered({20000, 20015}, 3, {}), "20002-20003");
  EXPECT_EQ(offered({20000, 20015}, 3, {20000, 20002}), "20000-20003") << "no two are left: whatever there is";
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

TEST(NetworkSettings, NothingIsSaidOfCardsWhereItIsNotKnownWhichOnesReach) {
  Situation situation = two_hosts();
  for (HostView& view : situation.hosts) {
    view.facts.software.ucx = true;
    view.facts.fabric.infiniband = {{"mlx5_0", true, true, true, 400, "0000:01:00.0"}};
  }
  const auto environment = network_settings(situation).environment[0];
  EXPECT_EQ(environment.count("NCCL_IB_HCA") + environment.count("UCX_NET_DEVICES"), 0u);
}

TEST(NetworkSettings, UcxIsToldThePortThatIsActive) {
  Situation situation = two_hosts();
  InfinibandDevice card{"mlx5_0", true, false, true, 400, "0000:01:00.0"};
  card.port = 2;
  for (HostView& view : situation.hosts) {
    view.facts.software.ucx = true;
    view.facts.fabric.infiniband = {card};
  }
  EXPECT_EQ(network_settings(situation).environment[1].at("UCX_NET_DEVICES"), "mlx5_0:2,enp3s0");
}

TEST(NetworkSettings, AnAdministratorsFileStaysWhereItNamesWhatReaches) {
  Situation situation = two_hosts();
  auto& file = situation.hosts[1].facts.configuration.nccl_files["/etc/nccl.conf"];
  for (const char* good : {"=enp3s0", "enp", "^docker,lo"}) {
    file["NCCL_SOCKET_IFNAME"] = good;
    EXPECT_EQ(network_settings(situation).environment[1].count("NCCL_SOCKET_IFNAME"), 0u) << good;
  }
  for (const char* bad : {"lo", "eth0", "=en"}) {
    file["NCCL_SOCKET_IFNAME"] = bad;
    EXPECT_EQ(network_settings(situation).environment[1].at("NCCL_SOCKET_IFNAME"), "=enp3s0") << bad;
  }
}

TEST(NetworkSettings, AnAdministratorsCardsStayWhereOneOfThemReaches) {
  Situation situation = two_hosts();
  for (HostView& view : situation.hosts) {
    view.facts.fabric.infiniband = {{"mlx5_0", true, false, true, 400, ""}, {"mlx5_1", true, false, true, 400, ""}};
  }
  auto& file = situation.hosts[0].facts.configuration.nccl_files["~/.nccl.conf"];
  file["NCCL_IB_HCA"] = "^mlx5_1";
  EXPECT_EQ(network_settings(situation).environment[0].count("NCCL_IB_HCA"), 0u);
  file["NCCL_IB_HCA"] = "mlx4";
  EXPECT_EQ(network_settings(situation).environment[0].at("NCCL_IB_HCA"), "=mlx5_0,mlx5_1");
}

TEST(NetworkSettings, HostsOfDifferentNetworksAreToldEachItsOwn) {
  Situation situation = two_hosts();
  situation.network.hosts[1].networks = {"192.168.2.0/24"};
  const NetworkSettings settings = network_settings(situation);
  EXPECT_EQ(settings.environment[0].at("OMPI_MCA_btl_tcp_if_include"), "192.168.1.0/24");
  EXPECT_EQ(settings.environment[1].at("OMPI_MCA_btl_tcp_if_include"), "192.168.2.0/24");
  EXPECT_THAT(settings.parameters, ElementsAre(Pair("oob_tcp_if_include", "192.168.1.0/24,192.168.2.0/24")));
}

TEST(NetworkSettings, PortsThatTheUserGaveStay) {
  Situation situation = two_hosts();
  situation.ports = PortRange{20000, 20099};
  situation.parameters = {{"btl_tcp_port_min_v4", "30000"}};
  situation.launcher_environment["PRTE_MCA_oob_tcp_dynamic_ipv4_ports"] = "31000-31009";
  EXPECT_THAT(network_settings(situation).parameters,
              ElementsAre(Pair("btl_tcp_if_include", testing::_), Pair("oob_tcp_if_include", testing::_)));
}

TEST(NetworkSettings, PortsThatAreTooFewForTheRanksAreAnError) {
  Situation situation = two_hosts();
  situation.ports = PortRange{20000, 20015};
  situation.hosts[1].ranks = 8;
  EXPECT_NO_THROW(network_settings(situation));
  situation.hosts[1].ranks = 9;
  try {
    network_settings(situation);
    FAIL() << "8 ports are left for 9 ranks";
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("b has 9 ranks"));
    EXPECT_THAT(error.remedy(), testing::HasSubstr("17 ports"));
  }
  situation.transport = Transport::nccl;
  EXPECT_NO_THROW(network_settings(situation)) << "no rank calls MPI_Init";
  for (const int ranks : {1, 8, 9, 20, 64}) {
    const PortRange part = share_ports({1, ports_for(ranks)}).ranks;
    EXPECT_GE(part.last - part.first + 1, ranks);
  }
}

TEST(NetworkSettings, NcclSaysItsWarningsOnStandardErrorUnlessTheUserSaidHow) {
  Situation situation;
  situation.hosts = {host("a", "eth0", "192.168.1.5"), host("b", "enp3s0", "192.168.1.6")};
  for (HostView& view : situation.hosts) view.facts.gpus.emplace_back();
  situation.hosts[1].environment["NCCL_DEBUG"] = "INFO";
  const NetworkSettings settings = network_settings(situation);
  EXPECT_THAT(settings.environment[0],
              testing::UnorderedElementsAre(Pair("NCCL_DEBUG", "WARN"), Pair("NCCL_DEBUG_FILE", "/dev/stderr"),
                                            Pair("NCCL_SOCKET_RETRY_CNT", "12")));
  EXPECT_THAT(settings.environment[1], testing::ElementsAre(Pair("NCCL_SOCKET_RETRY_CNT", "12")));
}

}  // namespace
}  // namespace ringrun
