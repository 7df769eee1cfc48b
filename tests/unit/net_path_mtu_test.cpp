#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "lib/net/interface.hpp"
#include "lib/net/probe_endpoint.hpp"
#include "tests/support/cannot_run.hpp"
#include "tests/unit/network_namespace.hpp"
#include "tests/unit/probe_strangers.hpp"

namespace ringrun {
namespace {

using std::chrono::milliseconds;
using test::kNonce;
using test::outcomes;
using test::run;
using testing::ElementsAre;

/// Two namespaces with a wire between them: 10.0.0.1 (here, MTU 9000) and 10.0.0.2 (there).
class Wire {
 public:
  explicit Wire(int mtu_there) : here_(test::this_network()) {
    made_ = unshare(CLONE_NEWNET) == 0;
    there_ = test::this_network();
    const std::string mtu = std::to_string(mtu_there);
    const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(here_.get());
    made_ = made_ && test::shell("ip link add eth0 type veth peer name wire") &&
            test::shell("ip addr add 10.0.0.2/24 dev eth0 && ip link set eth0 up mtu " + mtu) &&
            test::shell("ip link set wire netns " + path) && test::enter_network(here_) &&
            test::shell("ip addr add 10.0.0.1/24 dev wire && ip link set wire up mtu 9000") && carries();
  }
  bool made() const { return made_; }
  /// Makes the far end a router, with a host behind it: 10.1.0.2, MTU 1500.
  bool leads_to_a_network_behind() {
    if (!test::shell("ip route add 10.1.0.0/24 via 10.0.0.2") || unshare(CLONE_NEWNET) != 0) return false;
    behind_ = test::this_network();
    const std::string path = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(there_.get());
    return test::shell("ip link add eth0 type veth peer name eth1 && ip addr add 10.1.0.2/24 dev eth0") &&
           test::shell("ip link set eth0 up && ip route add default via 10.1.0.1") &&
           test::shell("ip link set eth1 netns " + path) && test::enter_network(there_) &&
           test::shell("ip addr add 10.1.0.1/24 dev eth1 && ip link set eth1 up") &&
           test::shell("echo 1 > /proc/sys/net/ipv4/ip_forward") && test::enter_network(here_);
  }
  /// Of a host at the far end.
  ListeningAddress listen(ProbeEndpoint& endpoint, const std::string& ip = "10.0.0.2") const {
    EXPECT_TRUE(test::enter_network(behind_ ? behind_ : there_));
    auto at = endpoint.listen({ip}, 3, std::nullopt);
    EXPECT_TRUE(test::enter_network(here_));
    return at[0];
  }

 private:
  /// A first packet that is sent while a new link comes up may be lost.
  static bool carries() {
    for (int tries = 0; tries < 100; ++tries) {
      const auto interfaces = read_interfaces();
      const Interface* wire = find_address(interfaces, "10.0.0.1");
      if (wire != nullptr && wire->up) return true;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return false;
  }

  Socket here_;
  Socket there_;
  Socket behind_;
  bool made_ = false;
};

void expect_mtu(int there, int passed, milliseconds longest) {
  bool tools = false;
  const bool made = test::in_new_network([&] {
    const Wire wire(there);
    tools = wire.made();
    if (!tools) return;
    ProbeEndpoint a(kNonce, 0);
    ProbeEndpoint b(kNonce, 1);
    a.connect({{1, wire.listen(b)}}, milliseconds(2000));
    EXPECT_LT(run(a, {&b}), longest);
    const Link link = a.links()[0];
    EXPECT_TRUE(is_good(link)) << "small packets pass";
    EXPECT_EQ(link.source, "10.0.0.1");
    EXPECT_EQ(link.mtu_tried, 9000);
    EXPECT_EQ(link.mtu_passed, passed);
  });
  if (!made || !tools) RINGRUN_CANNOT_RUN("needs root, network namespaces and iproute2's ip");
}

TEST(PathMtu, IsTheInterfacesOwnInOneRoundTrip) { expect_mtu(9000, 9000, milliseconds(200)); }

TEST(PathMtu, IsFoundWhereLargePacketsVanish) { expect_mtu(1500, 1500, milliseconds(2500)); }

/// A router between two networks that lets no packet over 1500 bytes pass, and says so.
TEST(PathMtu, IsWhatARouterOnTheWaySays) {
  bool tools = false;
  const bool made = test::in_new_network([&] {
    Wire wire(9000);
    tools = wire.made() && wire.leads_to_a_network_behind();
    if (!tools) return;
    ProbeEndpoint a(kNonce, 0);
    ProbeEndpoint b(kNonce, 1);
    a.connect({{1, wire.listen(b, "10.1.0.2")}}, milliseconds(2000));
    EXPECT_LT(run(a, {&b}), milliseconds(300));
    EXPECT_EQ(a.links()[0].mtu_tried, 1500) << "TCP hears it too: nothing is wrong with the path";
    EXPECT_EQ(a.links()[0].mtu_passed, 1500);
  });
  if (!made || !tools) RINGRUN_CANNOT_RUN("needs root, network namespaces and iproute2's ip");
}

TEST(Probe, TellsThatThereIsNoRoute) {
  const bool made = test::in_new_network([&] {
    ProbeEndpoint a(kNonce, 0);
    a.connect({{1, {"192.0.2.1", {40000}}}}, milliseconds(2000));
    EXPECT_LT(run(a), milliseconds(100));
    EXPECT_THAT(outcomes(a.links()[0]), ElementsAre(Outcome::no_route));
    EXPECT_EQ(a.links()[0].source, "");
  });
  if (!made) RINGRUN_CANNOT_RUN("needs root and network namespaces");
}

}  // namespace
}  // namespace ringrun
