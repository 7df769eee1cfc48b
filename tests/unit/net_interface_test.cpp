#include <gtest/gtest.h>

#include "lib/net/interface.hpp"

namespace ringrun {
namespace {

Interface up(const std::string& name, InterfaceKind kind, const InterfaceAddress& address) {
  Interface interface;
  interface.name = name;
  interface.kind = kind;
  interface.up = true;
  interface.ipv4 = {address};
  return interface;
}

TEST(Network, IsTheAddressWithoutItsHostPart) {
  EXPECT_EQ(network_of({"192.168.1.5", 24}), "192.168.1.0/24");
  EXPECT_EQ(network_of({"10.255.255.255", 9}), "10.128.0.0/9");
  EXPECT_EQ(network_of({"100.64.0.7", 32}), "100.64.0.7/32");
  EXPECT_EQ(network_of({"1.2.3.4", 0}), "0.0.0.0/0");
  EXPECT_EQ(network_of({"fd00::1:2", 64}), "fd00::/64");
  EXPECT_EQ(network_of({"not an address", 24}), "");
}

TEST(Network, ContainsItsOwnAddressesAlone) {
  EXPECT_TRUE(contains({"192.168.1.5", 24}, "192.168.1.255"));
  EXPECT_FALSE(contains({"192.168.1.5", 24}, "192.168.2.1"));
  EXPECT_TRUE(contains({"172.17.0.1", 16}, "172.17.9.9"));
  EXPECT_TRUE(contains({"10.0.0.1", 32}, "10.0.0.1"));
  EXPECT_FALSE(contains({"10.0.0.1", 32}, "10.0.0.2"));
  EXPECT_TRUE(contains({"10.0.0.1", 0}, "192.168.1.1"));
  EXPECT_FALSE(contains({"10.0.0.1", 8}, "b"));
}

TEST(Network, FindsTheInterfaceOfAnAddress) {
  std::vector<Interface> interfaces = {up("eth0", InterfaceKind::hardware, {"192.168.1.5", 24})};
  interfaces[0].ipv4.push_back({"192.168.1.55", 24});
  interfaces[0].ipv6.push_back({"fe80::1", 64});
  EXPECT_EQ(find_address(interfaces, "192.168.1.55"), &interfaces[0]);
  EXPECT_EQ(find_address(interfaces, "fe80::1"), &interfaces[0]);
  EXPECT_EQ(find_address(interfaces, "192.168.1.6"), nullptr);
}

TEST(LeadsOutside, FitsCardsAndAContainersOwnEndOfAVeth) {
  EXPECT_TRUE(leads_outside(up("enp3s0", InterfaceKind::hardware, {"192.168.1.6", 24})));
  EXPECT_TRUE(leads_outside(up("eth0", InterfaceKind::veth, {"192.168.1.5", 24})));
  EXPECT_TRUE(leads_outside(up("bond0.20", InterfaceKind::vlan, {"10.2.0.6", 24})));
  EXPECT_TRUE(leads_outside(up("docker1", InterfaceKind::hardware, {"192.168.1.6", 24}))) << "a name proves nothing";
}

TEST(LeadsOutside, FitsNoInterfaceThatEndsOnThisHost) {
  EXPECT_FALSE(leads_outside(up("lo", InterfaceKind::loopback, {"127.0.0.1", 8})));
  EXPECT_FALSE(leads_outside(up("docker0", InterfaceKind::bridge, {"172.17.0.1", 16})));
  EXPECT_FALSE(leads_outside(up("eth1", InterfaceKind::hardware, {"169.254.3.4", 16})));
  Interface port = up("veth12", InterfaceKind::veth, {"10.0.0.1", 24});
  port.master = "docker0";
  EXPECT_FALSE(leads_outside(port));
  Interface tunnel = up("tailscale0", InterfaceKind::tun, {"100.64.0.7", 32});
  tunnel.point_to_point = true;
  EXPECT_FALSE(leads_outside(tunnel));
  Interface down = up("enp3s0", InterfaceKind::hardware, {"192.168.1.6", 24});
  down.up = false;
  EXPECT_FALSE(leads_outside(down));
  Interface bare = up("enp4s0", InterfaceKind::hardware, {});
  bare.ipv4.clear();
  EXPECT_FALSE(leads_outside(bare));
}

TEST(LeadsOutside, FitsABridgeWithTheHostsCardAndNoneOfContainers) {
  std::vector<Interface> all = {
      up("br0", InterfaceKind::bridge, {"192.168.1.5", 24}), up("eth0", InterfaceKind::hardware, {}),
      up("docker0", InterfaceKind::bridge, {"172.17.0.1", 16}), up("veth12", InterfaceKind::veth, {})};
  all[1].master = "br0";
  all[3].master = "docker0";
  EXPECT_TRUE(leads_outside(all[0], all));
  EXPECT_FALSE(leads_outside(all[2], all, "192.168.1.5"));
  all[1].kind = InterfaceKind::veth;
  EXPECT_FALSE(leads_outside(all[0], all));
  EXPECT_TRUE(leads_outside(all[0], all, "192.168.1.5")) << "others name the host so";
  all[0].up = false;
  EXPECT_FALSE(leads_outside(all[0], all, "192.168.1.5"));
}

TEST(PciAddress, IsReadInTheKernelsAndInNvmlsWriting) {
  ASSERT_TRUE(read_pci_address("0000:4e:00.1"));
  EXPECT_EQ(read_pci_address("0000:4e:00.1")->bus, 0x4eu);
  EXPECT_EQ(read_pci_address("0000:4e:00.1")->function, 1u);
  ASSERT_TRUE(read_pci_address("00000001:4E:00.0"));
  EXPECT_EQ(read_pci_address("00000001:4E:00.0")->domain, 1u);
  for (const char* text : {"", "virtio0", "usb-0000:00:14.0-1", "0000:4e:00", "0000:4e:00.", "::."}) {
    EXPECT_FALSE(read_pci_address(text)) << text;
  }
}

}  // namespace
}  // namespace ringrun
