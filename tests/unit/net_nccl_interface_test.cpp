#include <gtest/gtest.h>

#include "lib/net/nccl_interface.hpp"

namespace ringrun {
namespace {

std::vector<Interface> host(const std::vector<std::string>& names) {
  std::vector<Interface> interfaces;
  int number = 0;
  for (const std::string& name : names) {
    Interface interface;
    interface.name = name;
    interface.up = true;
    interface.ipv4 = {{"10.0." + std::to_string(++number) + ".1", 24}};
    interfaces.push_back(interface);
  }
  return interfaces;
}

std::string chosen(const std::vector<Interface>& interfaces, const std::optional<std::string>& value,
                   const std::string& family = "") {
  std::string names;
  for (const Interface* interface : nccl_interfaces(interfaces, value, family)) names += interface->name + " ";
  return names;
}

TEST(NcclInterfaces, WithoutAWishAreInfinibandThenAnythingThenDockerThenLoopback) {
  EXPECT_EQ(chosen(host({"lo", "eth0", "ib0", "ib1"}), std::nullopt), "ib0 ib1 ");
  EXPECT_EQ(chosen(host({"lo", "docker0", "virbr0", "eth0", "br-12ab", "veth1", "tailscale0"}), std::nullopt),
            "eth0 br-12ab veth1 tailscale0 ");
  EXPECT_EQ(chosen(host({"lo", "docker0", "virbr0"}), std::nullopt), "docker0 ");
  EXPECT_EQ(chosen(host({"lo", "virbr0"}), std::nullopt), "lo ");
  EXPECT_EQ(chosen(host({"lo", "loopback0", "eth0"}), std::nullopt), "eth0 ") << "lo excludes by its beginning";
  EXPECT_EQ(chosen(host({}), std::nullopt), "");
}

TEST(NcclInterfaces, WithAWishAreWhatItsPrefixesExclusionsAndExactNamesSay) {
  const auto all = host({"lo", "docker0", "bond0", "bond0.2973", "eth0"});
  EXPECT_EQ(chosen(all, "bond0"), "bond0 bond0.2973 ");
  EXPECT_EQ(chosen(all, "=bond0"), "bond0 ");
  EXPECT_EQ(chosen(all, "eth,bond"), "bond0 bond0.2973 eth0 ") << "the host's order, not the list's";
  EXPECT_EQ(chosen(all, "=eth0,lo"), "lo eth0 ");
  EXPECT_EQ(chosen(all, "^docker"), "lo bond0 bond0.2973 eth0 ") << "loopback comes back";
  EXPECT_EQ(chosen(all, "^docker,lo"), "bond0 bond0.2973 eth0 ");
  EXPECT_EQ(chosen(all, "^=bond0,lo"), "docker0 bond0.2973 eth0 ");
  EXPECT_EQ(chosen(all, "enp3s0"), "");
  EXPECT_EQ(chosen(all, ""), "bond0 bond0.2973 eth0 ") << "an empty value is none";
}

TEST(NcclInterfaces, AreUpAndHaveAnAddressOfTheFamily) {
  auto interfaces = host({"eth0", "eth1", "eth2"});
  interfaces[0].up = false;
  interfaces[1].ipv4.clear();
  interfaces[1].ipv6 = {{"fe80::1", 64}};
  EXPECT_EQ(chosen(interfaces, std::nullopt), "eth2 eth1 ") << "addresses of IPv4 are listed first";
  EXPECT_EQ(chosen(interfaces, std::nullopt, "AF_INET"), "eth2 ");
  EXPECT_EQ(chosen(interfaces, std::nullopt, "AF_INET6"), "eth1 ");
}

}  // namespace
}  // namespace ringrun
