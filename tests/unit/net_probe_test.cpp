#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <memory>
#include <set>

#include "lib/net/bulk_test.hpp"
#include "lib/net/probe_endpoint.hpp"
#include "lib/net/probe_wire.hpp"
#include "lib/net/socket_address.hpp"
#include "tests/unit/probe_strangers.hpp"

namespace ringrun {
namespace {

using std::chrono::milliseconds;
using test::kNonce;
using test::outcomes;
using test::run;
using test::Stranger;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Probe, ReachesAHostOnEveryPortAndLearnsTheWay) {
  ProbeEndpoint a(kNonce, 0);
  ProbeEndpoint b(kNonce, 1);
  const auto at = b.listen({"127.0.0.2"}, 3, std::nullopt);
  ASSERT_THAT(at, SizeIs(1));
  EXPECT_THAT(std::set<int>(at[0].ports.begin(), at[0].ports.end()), SizeIs(3));
  a.connect({{1, at[0]}}, milliseconds(1000));
  EXPECT_FALSE(a.finished());
  run(a, {&b});
  ASSERT_THAT(a.links(), SizeIs(1));
  const Link link = a.links()[0];
  EXPECT_TRUE(is_good(link));
  EXPECT_EQ(link.from, 0);
  EXPECT_EQ(link.to, 1);
  EXPECT_EQ(link.address, "127.0.0.2");
  EXPECT_EQ(link.source, "127.0.0.1");
  EXPECT_EQ(link.seen_as, "127.0.0.1");
  EXPECT_EQ(link.mtu_tried, 65535);
  EXPECT_EQ(link.mtu_passed, 65535);
}

TEST(Probe, GoesBothWaysAndOverIpv6) {
  ProbeEndpoint a(kNonce, 0);
  ProbeEndpoint b(kNonce, 1);
  const auto at_a = a.listen({"127.0.0.1"}, 1, std::nullopt);
  const auto at_b = b.listen({"127.0.0.2", "::1"}, 1, std::nullopt);
  std::vector<ProbeTarget> targets = {{1, at_b[0]}};
  if (!at_b[1].ports.empty()) targets.push_back({1, at_b[1]});
  a.connect(targets, milliseconds(1000));
  b.connect({{0, at_a[0]}}, milliseconds(1000));
  run(a, {&b});
  run(b, {&a});
  for (const Link& link : a.links()) {
    EXPECT_TRUE(is_good(link)) << link.address;
    EXPECT_EQ(link.mtu_passed, 65535) << link.address;
  }
  EXPECT_TRUE(is_good(b.links()[0]));
}

TEST(Probe, WithAnotherJobsNonceIsNotAnswered) {
  ProbeEndpoint a("ffffffffffffffffffffffffffffffff", 0);
  ProbeEndpoint b(kNonce, 1);
  a.connect({{1, b.listen({"127.0.0.2"}, 2, std::nullopt)[0]}}, milliseconds(500));
  run(a, {&b});
  EXPECT_THAT(outcomes(a.links()[0]), ElementsAre(Outcome::wrong_host, Outcome::wrong_host));
  EXPECT_EQ(a.links()[0].mtu_tried, 0);
}

TEST(Probe, TellsAnotherHostFromTheOneThatWasMeant) {
  ProbeEndpoint a(kNonce, 0);
  ProbeEndpoint c(kNonce, 2);
  a.connect({{1, c.listen({"127.0.0.2"}, 1, std::nullopt)[0]}}, milliseconds(500));
  run(a, {&c});
  EXPECT_EQ(outcome_of(a.links()[0]), Outcome::wrong_host);
}

TEST(Probe, OfAnAddressThatIsItsOwnFindsItself) {
  ProbeEndpoint a(kNonce, 0);
  a.connect({{1, a.listen({"127.0.0.1"}, 1, std::nullopt)[0]}}, milliseconds(500));
  run(a);
  EXPECT_EQ(outcome_of(a.links()[0]), Outcome::wrong_host);
}

TEST(Probe, TellsClosedPortsFromSilentOnes) {
  const Stranger silent(SOCK_STREAM, "127.0.0.3", true);
  const Stranger closed(SOCK_STREAM, "127.0.0.3");
  ProbeEndpoint a(kNonce, 0);
  a.connect({{1, {"127.0.0.3", {closed.port, silent.port}}}, {2, {"127.0.0.4", {}}}}, milliseconds(200));
  EXPECT_LT(run(a), milliseconds(400));
  const auto links = a.links();
  EXPECT_THAT(outcomes(links[0]), ElementsAre(Outcome::refused, Outcome::dropped));
  EXPECT_EQ(links[0].attempts[0].port, closed.port);
  EXPECT_EQ(links[0].attempts[0].error, ECONNREFUSED);
  EXPECT_LT(links[0].attempts[0].milliseconds, 100);
  EXPECT_GE(links[0].attempts[1].milliseconds, 200);
  EXPECT_EQ(links[0].source, "127.0.0.1");
  EXPECT_THAT(links[1].attempts, IsEmpty());
}

TEST(Probe, TriesOnceMoreWhatFailsWithinTheDeadline) {
  ProbeEndpoint a(kNonce, 0);
  ProbeEndpoint b(kNonce, 1);
  // Nobody listens at the port yet, and another host keeps the burst going.
  const Stranger silent(SOCK_STREAM, "127.0.0.3", true);
  int port = Stranger(SOCK_STREAM, "127.0.0.2").port;
  a.connect({{1, {"127.0.0.2", {port}}}, {2, {"127.0.0.3", {silent.port}}}}, milliseconds(1000));
  a.step(milliseconds(5));
  ASSERT_THAT(b.listen({"127.0.0.2"}, 1, PortRange{port, port})[0].ports, SizeIs(1));
  EXPECT_LT(run(a, {&b}), milliseconds(1300));
  EXPECT_TRUE(is_good(a.links()[0]));
  EXPECT_THAT(outcomes(a.links()[1]), ElementsAre(Outcome::dropped));
  EXPECT_GE(a.links()[1].attempts[0].milliseconds, 1000) << "the first try's word";
}

TEST(Probe, SendsMuchDataOverTcpWhereItIsAsked) {
  ProbeEndpoint b(kNonce, 1);
  const auto at = b.listen({"127.0.0.2"}, 1, std::nullopt)[0];
  const auto result = [&](const std::string& nonce, bool serves) {
    const SocketAddress to = *SocketAddress::parse(at.address, at.ports[0]);
    BulkTest test(open_socket(AF_INET, SOCK_STREAM), to, {nonce, 0, 1}, ProbeClock::now());
    const auto end = ProbeClock::now() + std::chrono::seconds(3);
    while (!test.ended() && ProbeClock::now() < end) {
      pollfd waited = test.waited();
      const bool ready = poll(&waited, 1, 1) > 0;
      test.advance(ready, ProbeClock::now());
      if (serves) b.step(milliseconds(0));
    }
    return test.passed();
  };
  EXPECT_EQ(result(kNonce, true), 1);
  EXPECT_EQ(result("ffffffffffffffffffffffffffffffff", true), -1);
}

TEST(Probe, TakesAServerOfAnotherKindForAWrongHost) {
  const Stranger server(SOCK_STREAM, "127.0.0.3", true);
  ProbeEndpoint a(kNonce, 0);
  a.connect({{1, {"127.0.0.3", {server.port, server.port, server.port}}}}, milliseconds(2000));
  a.step(milliseconds(5));
  std::vector<Socket> accepted;
  for (const std::string& words : {std::string("SSH-2.0-OpenSSH_9.2\n"), std::string(1000, 'x'), std::string()}) {
    const int connection = accept(server.socket.get(), nullptr, nullptr);
    send(connection, words.data(), words.size(), MSG_NOSIGNAL);
    // Closed with something unread it would be a reset.
    shutdown(connection, SHUT_WR);
    accepted.emplace_back(connection);
  }
  EXPECT_LT(run(a), milliseconds(1000));
  EXPECT_THAT(outcomes(a.links()[0]), testing::Each(Outcome::wrong_host));
}

TEST(Probe, OfManyPortsNeedsFewSockets) {
  ProbeEndpoint a(kNonce, 0);
  ProbeEndpoint b(kNonce, 1);
  a.connect({{1, b.listen({"127.0.0.2"}, 40, std::nullopt)[0]}}, milliseconds(2000), 2);
  run(a, {&b});
  EXPECT_THAT(a.links()[0].attempts, SizeIs(40));
  EXPECT_TRUE(is_good(a.links()[0]));
  EXPECT_EQ(a.links()[0].mtu_passed, 65535);
}

TEST(Probe, LeavesOutWhatHasNotEndedYet) {
  const Stranger closed(SOCK_STREAM, "127.0.0.3");
  const Stranger silent(SOCK_STREAM, "127.0.0.3", true);
  ProbeEndpoint a(kNonce, 0);
  a.connect({{1, {"127.0.0.3", {closed.port, silent.port}}}, {2, {"127.0.0.3", {silent.port}}}}, milliseconds(5000));
  a.step(milliseconds(100));
  ASSERT_FALSE(a.finished());
  ASSERT_THAT(a.links(), SizeIs(1));
  EXPECT_THAT(outcomes(a.links()[0]), ElementsAre(Outcome::refused));
}

TEST(Probe, OfManyHostsAtOnceReachesThemAll) {
  constexpr int kHosts = 20;
  std::vector<std::unique_ptr<ProbeEndpoint>> hosts;
  std::vector<ProbeTarget> all;
  for (int host = 0; host < kHosts; ++host) {
    hosts.push_back(std::make_unique<ProbeEndpoint>(kNonce, host));
    all.push_back({host, hosts.back()->listen({"127.0.1." + std::to_string(host + 1)}, 2, std::nullopt)[0]});
  }
  for (int host = 0; host < kHosts; ++host) {
    std::vector<ProbeTarget> others = all;
    others.erase(others.begin() + host);
    hosts[host]->connect(others, milliseconds(3000), 8);
  }
  std::vector<ProbeEndpoint*> stepped;
  for (const auto& host : hosts) stepped.push_back(host.get());
  for (const auto& host : hosts) run(*host, stepped);
  for (const auto& host : hosts) {
    for (const Link& link : host->links()) {
      EXPECT_TRUE(is_good(link)) << link.from << " to " << link.to;
      EXPECT_EQ(link.mtu_passed, 65535) << link.from << " to " << link.to;
    }
  }
}

/// Lets this process have few file descriptors for a while.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t most) {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = most;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST(Probe, GetsAlongWithTheDescriptorsThatAreLeft) {
  ProbeEndpoint a(kNonce, 0);
  ProbeEndpoint b(kNonce, 1);
  const auto at = b.listen({"127.0.0.2"}, 100, std::nullopt);
  for (const rlim_t most : {rlim_t{200}, rlim_t{125}}) {
    const FewDescriptors limit(most);
    a.connect({{1, at[0]}}, milliseconds(3000));
    run(a, {&b});
    EXPECT_TRUE(is_good(a.links().back())) << most;
  }
}

TEST(ProbeEndpoint, WakesForItsOwner) {
  ProbeEndpoint a(kNonce, 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const Socket reading(ends[0]);
  const Socket writing(ends[1]);
  ASSERT_EQ(write(writing.get(), "x", 1), 1);
  const auto begin = ProbeClock::now();
  a.step(std::chrono::seconds(5), reading.get());
  EXPECT_LT(ProbeClock::now() - begin, std::chrono::seconds(1));
}

TEST(Nonce, IsNeverTheSame) {
  EXPECT_THAT(make_nonce(), SizeIs(32));
  EXPECT_NE(make_nonce(), make_nonce());
}

}  // namespace
}  // namespace ringrun
