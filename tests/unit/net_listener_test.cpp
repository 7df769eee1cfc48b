#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/net/probe_endpoint.hpp"
#include "lib/net/probe_listener.hpp"
#include "lib/net/probe_wire.hpp"
#include "tests/unit/probe_strangers.hpp"

namespace ringrun {
namespace {

using std::chrono::milliseconds;
using test::kNonce;
using test::run;
using test::Stranger;
using testing::IsEmpty;
using testing::SizeIs;

TEST(ProbeListener, KeepsToItsRangeOfPorts) {
  ProbeEndpoint a(kNonce, 0);
  const auto wide = a.listen({"127.0.0.5"}, 3, PortRange{29600, 29699});
  EXPECT_THAT(wide[0].ports, SizeIs(3));
  EXPECT_THAT(wide[0].ports, testing::Each(testing::AllOf(testing::Ge(29600), testing::Le(29699))));
  ProbeEndpoint b(kNonce, 1);
  EXPECT_THAT(b.listen({"127.0.0.6"}, 3, PortRange{29600, 29601})[0].ports,
              testing::UnorderedElementsAre(29600, 29601));
  ProbeEndpoint c(kNonce, 2);
  EXPECT_THAT(c.listen({"127.0.0.6"}, 3, PortRange{29600, 29610})[0].ports, SizeIs(3)) << "round those that are taken";
}

TEST(ProbeListener, HasNoPortsOnAnAddressThatIsNotHere) {
  ProbeEndpoint a(kNonce, 0);
  const auto at = a.listen({"192.0.2.1", "127.0.0.1", "b"}, 1, std::nullopt);
  ASSERT_THAT(at, SizeIs(3));
  EXPECT_THAT(at[0].ports, IsEmpty());
  EXPECT_THAT(at[1].ports, SizeIs(1));
  EXPECT_THAT(at[2].ports, IsEmpty());
}

TEST(ProbeListener, StopsWithItsEndpoint) {
  int port = 0;
  {
    ProbeEndpoint a(kNonce, 0);
    port = a.listen({"127.0.0.1"}, 1, std::nullopt)[0].ports[0];
    EXPECT_TRUE(Stranger(SOCK_STREAM).connect("127.0.0.1", port));
  }
  EXPECT_FALSE(Stranger(SOCK_STREAM).connect("127.0.0.1", port));
}

TEST(ProbeListener, LeavesItsPortsToTheJob) {
  std::vector<int> ports;
  {
    ProbeEndpoint a(kNonce, 0);
    ProbeEndpoint b(kNonce, 1);
    const auto at = b.listen({"127.0.0.2"}, 3, PortRange{29700, 29799});
    ports = at[0].ports;
    a.connect({{1, at[0]}}, milliseconds(1000));
    run(a, {&b});
  }
  ASSERT_THAT(ports, SizeIs(3));
  for (const int port : ports) {
    const Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = *SocketAddress::parse("127.0.0.2", port);
    EXPECT_EQ(bind(socket.get(), address.get(), address.size()), 0) << "no connection waits out its time there";
  }
}

TEST(ProbeListener, SaysNothingToStrangers) {
  ProbeEndpoint b(kNonce, 1);
  const int port = b.listen({"127.0.0.2"}, 1, std::nullopt)[0].ports[0];
  const std::string wrong = to_line(Greeting{"ffffffffffffffffffffffffffffffff", 0, 1});
  const std::string right = to_line(Greeting{kNonce, 0, 1});
  for (const std::string& words : {wrong, std::string("GET / HTTP/1.1\r\n\r\n"), std::string(3000, 'x')}) {
    const Stranger stranger(SOCK_STREAM);
    ASSERT_TRUE(stranger.connect("127.0.0.2", port));
    stranger.say(words);
    for (int i = 0; i < 5; ++i) b.step(milliseconds(2));
    EXPECT_EQ(stranger.hear(), "");
  }
  const Stranger friendly(SOCK_STREAM);
  ASSERT_TRUE(friendly.connect("127.0.0.2", port));
  friendly.say(right);
  for (int i = 0; i < 5; ++i) b.step(milliseconds(2));
  EXPECT_EQ(friendly.hear(), to_line(Answer{1, "127.0.0.1"}));
}

TEST(ProbeListener, EchoesPacketsOfTheJobAloneAndNoLargerThanTheyCame) {
  ProbeEndpoint b(kNonce, 1);
  const int port = b.listen({"127.0.0.2"}, 1, std::nullopt)[0].ports[0];
  const Stranger stranger(SOCK_DGRAM);
  ASSERT_TRUE(stranger.connect("127.0.0.2", port));
  const auto echo = [&](const std::string& packet) {
    stranger.say(packet);
    b.step(milliseconds(5));
    return stranger.hear();
  };
  EXPECT_EQ(echo(to_packet({"ffffffffffffffffffffffffffffffff", 0, 1}, 1000)), "");
  EXPECT_EQ(echo(to_packet({kNonce, 0, 2}, 1000)), "") << "meant for another host";
  EXPECT_EQ(echo("hello\n"), "");
  EXPECT_EQ(echo(to_echo(to_packet({kNonce, 0, 1}, 1000))), "") << "an echo is not echoed again";
  EXPECT_EQ(echo(to_packet({kNonce, 0, 1}, 1000)).size(), 1000u);
}

/// One turn of a listener, as its endpoint would give it.
void serve(ProbeListener& listener) {
  std::vector<pollfd> waited;
  listener.append_to(waited, ProbeClock::now());
  poll(waited.data(), waited.size(), 5);
  listener.serve(waited.data(), ProbeClock::now());
}

TEST(ProbeListener, ThatIsFullLetsThoseGoThatHaveTheirAnswer) {
  ProbeListener listener(kNonce, 1, 2);
  const int port = listener.listen({"127.0.0.2"}, 1, std::nullopt)[0].ports[0];
  const std::string greeting = to_line(Greeting{kNonce, 0, 1});
  const std::string answer = to_line(Answer{1, "127.0.0.1"});
  const Stranger slow(SOCK_STREAM), answered(SOCK_STREAM), third(SOCK_STREAM), fourth(SOCK_STREAM);
  ASSERT_TRUE(slow.connect("127.0.0.2", port));
  serve(listener);
  ASSERT_TRUE(answered.connect("127.0.0.2", port));
  answered.say(greeting);
  for (int i = 0; i < 3; ++i) serve(listener);
  EXPECT_EQ(answered.hear(), answer);
  ASSERT_TRUE(third.connect("127.0.0.2", port));
  serve(listener);
  ASSERT_TRUE(fourth.connect("127.0.0.2", port));
  for (int i = 0; i < 3; ++i) serve(listener);
  // Both places are taken by those who have not spoken: the fourth waits, and nobody is turned away.
  for (const Stranger* stranger : {&slow, &third, &fourth}) stranger->say(greeting);
  for (int i = 0; i < 200; ++i) serve(listener);
  for (const Stranger* stranger : {&slow, &third, &fourth}) EXPECT_EQ(stranger->hear(), answer);
}

TEST(ProbeListener, AnswersThoughIdleConnectionsFillIt) {
  ProbeEndpoint b(kNonce, 1);
  const auto at = b.listen({"127.0.0.2"}, 1, std::nullopt);
  std::vector<Stranger> idle;
  for (int i = 0; i < 600; ++i) {
    idle.emplace_back(SOCK_STREAM);
    if (idle.back().socket.get() > 1000) {
      idle.pop_back();
      break;
    }
    ASSERT_TRUE(idle.back().connect("127.0.0.2", at[0].ports[0]));
    b.step(milliseconds(0));
  }
  ProbeEndpoint a(kNonce, 0);
  a.connect({{1, at[0]}}, milliseconds(2000));
  run(a, {&b});
  EXPECT_TRUE(is_good(a.links()[0]));
}

}  // namespace
}  // namespace ringrun
