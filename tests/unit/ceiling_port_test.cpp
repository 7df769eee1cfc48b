// Which of a host's ports carried the data, and what they can carry.
#include "worker/ceiling/port.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace ringrun::worker {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

Interface card(const std::string& name, int speed = 10000, InterfaceKind kind = InterfaceKind::hardware,
               int mtu = 1500) {
  Interface interface;
  interface.name = name;
  interface.kind = kind;
  interface.up = true;
  interface.speed = speed;
  interface.mtu = mtu;
  return interface;
}

std::vector<Port> used(const PortCounters& carried, const std::vector<Interface>& interfaces,
                       const FabricFacts& fabric = {}, double least = 1e6) {
  PortCounters before, after;
  for (const auto& [name, bytes] : carried) {
    before[name] = 5e9;
    after[name] = 5e9 + bytes;
  }
  return ports_in_use(before, after, least, interfaces, fabric);
}

TEST(Ports, CarryWhatTcpLeavesOfTheirRate) {
  const auto payload = [](int megabits, int mtu) {
    return used({{"eth0", 1e6}}, {card("eth0", megabits, InterfaceKind::hardware, mtu)}).at(0).bandwidth / 1e9;
  };
  // The published figures of 10G, 25G and 100G Ethernet.
  EXPECT_NEAR(payload(10000, 1500), 1.18, 0.005);
  EXPECT_NEAR(payload(25000, 1500), 2.94, 0.005);
  EXPECT_NEAR(payload(100000, 1500), 11.77, 0.005);
  EXPECT_NEAR(payload(100000, 9000), 12.38, 0.005);
  EXPECT_EQ(payload(-1, 1500), 0);
}

TEST(Ports, AreThoseThatCarriedTheData) {
  const auto ports =
      used({{"eth0", 2e6}, {"eth1", 1.9e6}, {"wlan0", 1e4}}, {card("eth0"), card("wlan0"), card("eth1")});
  EXPECT_THAT(ports, ElementsAre(Field(&Port::name, "eth0"), Field(&Port::name, "eth1")));
}

TEST(Ports, AreCountedOnceWhereABondOrAVlanPassesOn) {
  const std::vector<Interface> interfaces{card("eth0", 25000), card("bond0", 50000, InterfaceKind::bond),
                                          card("bond0.7", 50000, InterfaceKind::vlan), card("eth1", 25000)};
  const auto ports = used({{"eth0", 1e6}, {"eth1", 1e6}, {"bond0", 2e6}, {"bond0.7", 2e6}}, interfaces);
  EXPECT_THAT(ports, ElementsAre(Field(&Port::name, "eth0"), Field(&Port::name, "eth1")));
}

TEST(Ports, AreVirtualWhereNoWireIsBehindThem) {
  EXPECT_TRUE(used({{"eth0", 1e6}}, {card("eth0", 10000, InterfaceKind::veth)}).at(0).nominal);
  EXPECT_FALSE(used({{"eth0", 1e6}}, {card("eth0")}).at(0).nominal);
}

TEST(Ports, OfInfinibandAreKnownByTheCardsOwnCounters) {
  FabricFacts fabric;
  InfinibandDevice device;
  device.name = "mlx5_0";
  device.rate = 400;
  fabric.infiniband = {device};
  const auto ports = used({{"mlx5_0", 1e6}, {"ib0", 1e3}, {"eth0", 9e4}}, {card("ib0"), card("eth0")}, fabric);
  ASSERT_THAT(ports, ElementsAre(Field(&Port::name, "mlx5_0")));
  EXPECT_NEAR(ports[0].bandwidth / 1e9, 48.5, 0.1);
  EXPECT_EQ(ports[0].rate, "400 Gb/s, InfiniBand");
}

TEST(Ports, AreNoneWhereTheDataWasNotSeen) {
  EXPECT_THAT(used({{"eth0", 1e5}}, {card("eth0")}), IsEmpty()) << "a tenth of the data is something else";
  EXPECT_THAT(used({{"eth0", 0}}, {card("eth0")}), IsEmpty());
}

TEST(PortCounters, AreTheLargerDirectionOfEachButLoopback) {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("ringrun-ports-" + std::to_string(getpid()));
  std::filesystem::create_directories(root / "proc/self/net");
  std::filesystem::create_directories(root / "sys/class/infiniband/mlx5_0/ports/1/counters");
  std::ofstream(root / "proc/self/net/dev")
      << "Inter-|   Receive                                                |  Transmit\n"
         " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls\n"
         "    lo: 900 1 0 0 0 0 0 0 900 1 0 0 0 0 0 0\n"
         "  eth0: 100 1 0 0 0 0 0 0 300 2 0 0 0 0 0 0\n"
         "enp3s0:7000 1 0 0 0 0 0 0 6 2 0 0 0 0 0 0\n";
  std::ofstream(root / "sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data") << "25\n";
  std::ofstream(root / "sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data") << "10\n";
  EXPECT_THAT(read_port_counters(root),
              UnorderedElementsAre(Pair("eth0", 300), Pair("enp3s0", 7000), Pair("mlx5_0", 100)));
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace ringrun::worker
