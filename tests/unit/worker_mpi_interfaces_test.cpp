#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/network/mpi_interfaces.hpp"

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Interface interface(const std::string& name, InterfaceKind kind, const std::string& ip, int prefix = 24) {
  Interface made;
  made.name = name;
  made.kind = kind;
  made.up = true;
  if (!ip.empty()) made.ipv4.push_back({ip, prefix});
  return made;
}

const Interface lo = interface("lo", InterfaceKind::loopback, "127.0.0.1", 8);
const Interface eth0 = interface("eth0", InterfaceKind::hardware, "192.168.1.5");

/// docker's bridge without a container: it has no carrier, and MPI tries it all the same.
Interface docker0() {
  Interface bridge = interface("docker0", InterfaceKind::bridge, "172.17.0.1", 16);
  bridge.up = false;
  return bridge;
}

Interface tailscale0() {
  Interface tunnel = interface("tailscale0", InterfaceKind::tun, "100.64.0.7", 32);
  tunnel.point_to_point = true;
  return tunnel;
}

Interface port_of(const std::string& master, const std::string& name, InterfaceKind kind) {
  Interface port = interface(name, kind, "");
  port.master = master;
  return port;
}

TEST(MpiInterfaces, LeaveOutBridgesAndTunnelsToOneAddress) {
  EXPECT_THAT(dead_ends({lo, eth0, docker0(), tailscale0()}, {}), ElementsAre("docker0", "tailscale0"));
}

TEST(MpiInterfaces, LeaveOutNothingOfAPlainHost) {
  const Interface private_card = interface("eth1", InterfaceKind::hardware, "10.0.0.5");
  EXPECT_THAT(dead_ends({lo, eth0, private_card}, {}), IsEmpty());
}

TEST(MpiInterfaces, KeepTheCardOfAContainerThatHasAVethAsItsOnlyOne) {
  EXPECT_THAT(dead_ends({lo, interface("eth0", InterfaceKind::veth, "172.17.0.2", 16)}, {}), IsEmpty());
}

TEST(MpiInterfaces, DoNotNameTheManyPortsThatHaveNoAddress) {
  Interface port = port_of("docker0", "veth12ab", InterfaceKind::veth);
  port.ipv6.push_back({"fe80::1", 64});
  EXPECT_THAT(dead_ends({lo, eth0, docker0(), port}, {}), ElementsAre("docker0"));
}

TEST(MpiInterfaces, KeepABridgeThatHasTheHostsCardAsAPort) {
  const Interface br0 = interface("br0", InterfaceKind::bridge, "192.168.1.5");
  const Interface card = port_of("br0", "eth0", InterfaceKind::hardware);
  EXPECT_THAT(dead_ends({lo, br0, card, docker0()}, {}), ElementsAre("docker0"));
}

TEST(MpiInterfaces, KeepWhateverCarriesAnAddressThatIsInUseBetweenTheHosts) {
  EXPECT_THAT(dead_ends({lo, eth0, docker0(), tailscale0()}, {"100.64.0.7"}), ElementsAre("docker0"));
  EXPECT_THAT(dead_ends({lo, eth0, docker0(), tailscale0()}, {"172.17.0.1", "100.64.0.7"}), IsEmpty());
}

TEST(MpiInterfaces, LeaveOutNothingWhereNothingWouldBeLeft) {
  EXPECT_THAT(dead_ends({lo, docker0(), tailscale0()}, {}), IsEmpty());
}

TEST(MpiInterfaces, AreExcludedBesideWhatMpiExcludesByItself) {
  EXPECT_EQ(exclude_parameter({"docker0", "tailscale0"}), "127.0.0.1/8,sppp,docker0,tailscale0");
}

TEST(MpiInterfaces, ThatTheUserExcludedAreNotForgotten) {
  ConfigurationFacts users;
  users.environment["OMPI_MCA_btl_tcp_if_exclude"] = "lo";
  forget_own_exclusion(users);
  EXPECT_EQ(users.environment.count("OMPI_MCA_btl_tcp_if_exclude"), 1u);
}

TEST(MpiInterfaces, AreTheUsersChoiceWhereTheEnvironmentOrAFileSaysSo) {
  ConfigurationFacts nothing;
  nothing.environment = {{"OMPI_MCA_btl", "^openib"}};
  nothing.mca_files = {{"/etc/openmpi/openmpi-mca-params.conf", {{"pml", "^ucx"}}}};
  EXPECT_FALSE(chooses_mpi_interfaces(nothing));
  ConfigurationFacts variable = nothing;
  variable.environment["OMPI_MCA_btl_tcp_if_include"] = "eth0";
  EXPECT_TRUE(chooses_mpi_interfaces(variable));
  ConfigurationFacts file = nothing;
  file.mca_files["~/.openmpi/mca-params.conf"] = {{"btl_tcp_if_exclude", "lo"}};
  EXPECT_TRUE(chooses_mpi_interfaces(file));
}

}  // namespace
}  // namespace ringrun::worker
