#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "lib/net/interface.hpp"
#include "tests/support/cannot_run.hpp"
#include "tests/unit/network_namespace.hpp"

namespace ringrun {
namespace {

using test::shell;

Interface named(const std::vector<Interface>& interfaces, const std::string& name) {
  for (const Interface& interface : interfaces) {
    if (interface.name == name) return interface;
  }
  ADD_FAILURE() << "no interface " << name;
  return {};
}

TEST(Interfaces, OfThisHostBeginWithItsLoopback) {
  const Interface lo = named(read_interfaces(), "lo");
  EXPECT_EQ(lo.kind, InterfaceKind::loopback);
  EXPECT_TRUE(lo.up);
  EXPECT_GT(lo.mtu, 0);
  ASSERT_FALSE(lo.ipv4.empty());
  EXPECT_EQ(lo.ipv4[0], (InterfaceAddress{"127.0.0.1", 8}));
  EXPECT_EQ(lo.pci_bus_id, "");
}

TEST(Interfaces, AreReadWithTheirKindStateAndAddresses) {
  bool tools = false;
  const bool made = test::in_new_network([&] {
    tools = shell("ip link add docker0 type bridge") && shell("ip link add veth1 type veth peer name eth0");
    if (!tools) return;
    ASSERT_TRUE(shell("ip addr add 172.17.0.1/16 dev docker0 && ip link set docker0 up"));
    ASSERT_TRUE(shell("ip link set veth1 master docker0 up && ip link set eth0 mtu 9000 up"));
    ASSERT_TRUE(shell("ip addr add 10.0.0.2/24 dev eth0 && ip addr add 10.0.0.3/24 dev eth0"));
    ASSERT_TRUE(shell("ip addr add fd00::2/64 dev eth0 nodad"));
    const auto interfaces = read_interfaces();
    const Interface bridge = named(interfaces, "docker0");
    EXPECT_EQ(bridge.kind, InterfaceKind::bridge);
    EXPECT_TRUE(bridge.up) << "one of its ports is";
    EXPECT_EQ(bridge.ipv4, (std::vector<InterfaceAddress>{{"172.17.0.1", 16}}));
    const Interface port = named(interfaces, "veth1");
    EXPECT_EQ(port.kind, InterfaceKind::veth);
    EXPECT_EQ(port.master, "docker0");
    const Interface eth = named(interfaces, "eth0");
    EXPECT_EQ(eth.kind, InterfaceKind::veth);
    EXPECT_EQ(eth.driver, "veth");
    EXPECT_EQ(eth.master, "");
    EXPECT_EQ(eth.mtu, 9000);
    EXPECT_EQ(eth.ipv4, (std::vector<InterfaceAddress>{{"10.0.0.2", 24}, {"10.0.0.3", 24}}));
    EXPECT_NE(std::find(eth.ipv6.begin(), eth.ipv6.end(), InterfaceAddress{"fd00::2", 64}), eth.ipv6.end());
    EXPECT_TRUE(leads_outside(eth));
    ASSERT_TRUE(shell("ip link set eth0 down"));
    // The kernel takes a moment to carry the news on.
    bool up = true;
    for (int tries = 0; up && tries < 100; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      up = named(read_interfaces(), "docker0").up;
    }
    EXPECT_FALSE(up) << "its only port lost its peer";
  });
  if (!made || !tools) RINGRUN_CANNOT_RUN("needs root, network namespaces and iproute2's ip");
}

TEST(Interfaces, OfTunnelsArePointToPoint) {
  bool tools = false;
  const bool made = test::in_new_network([&] {
    tools = shell("ip tuntap add dev tailscale0 mode tun");
    if (!tools) return;
    ASSERT_TRUE(shell("ip addr add 100.64.0.7/32 dev tailscale0 && ip link set tailscale0 up"));
    const Interface tunnel = named(read_interfaces(), "tailscale0");
    EXPECT_EQ(tunnel.kind, InterfaceKind::tun);
    EXPECT_TRUE(tunnel.point_to_point);
    EXPECT_EQ(tunnel.ipv4, (std::vector<InterfaceAddress>{{"100.64.0.7", 32}}));
    EXPECT_FALSE(leads_outside(tunnel));
  });
  if (!made || !tools) RINGRUN_CANNOT_RUN("needs root, network namespaces, /dev/net/tun and iproute2's ip");
}

}  // namespace
}  // namespace ringrun
