#include "worker/network/network_decision.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/net/probe_json.hpp"

namespace ringrun::worker {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Interface interface(const std::string& name, InterfaceKind kind, const std::string& ip, int prefix = 24) {
  Interface made;
  made.name = name;
  made.kind = kind;
  made.up = true;
  made.mtu = 1500;
  made.ipv4.push_back({ip, prefix});
  return made;
}

JobHost host(const std::string& name, const std::string& card, const std::string& ip) {
  JobHost made;
  made.facts.hostname = name;
  made.facts.identity = name;
  made.facts.interfaces = {interface("lo", InterfaceKind::loopback, "127.0.0.1", 8),
                           interface("docker0", InterfaceKind::bridge, "172.17.0.1", 16),
                           interface(card, InterfaceKind::hardware, ip)};
  return made;
}

std::vector<JobHost> two_hosts() {
  return {host("a.cluster", "eth0", "192.168.1.5"), host("b", "enp3s0", "192.168.1.6")};
}

Link link(int from, int to, const std::string& address, Outcome outcome) {
  Link made;
  made.from = from;
  made.to = to;
  made.address = address;
  made.attempts = {{40111, outcome, outcome == Outcome::reached ? 0 : 110, 3}, {40222, outcome, 0, 4}};
  made.mtu_tried = made.mtu_passed = outcome == Outcome::reached ? 1500 : 0;
  return made;
}

NetworkChoice choice_between(const std::vector<JobHost>& hosts, const ReachMatrix& matrix) {
  std::vector<NetworkHost> both;
  for (const JobHost& one : hosts) both.push_back({one.facts.interfaces, one.named_address, {}, {}});
  return choose_network(both, matrix);
}

const ReachMatrix whole{link(0, 1, "192.168.1.6", Outcome::reached), link(1, 0, "192.168.1.5", Outcome::reached),
                        link(0, 1, "172.17.0.1", Outcome::wrong_host), link(1, 0, "172.17.0.1", Outcome::wrong_host)};

/// a reaches b, and b does not reach a.
const ReachMatrix one_way{link(0, 1, "192.168.1.6", Outcome::reached), link(1, 0, "192.168.1.5", Outcome::dropped),
                          link(0, 1, "172.17.0.1", Outcome::wrong_host), link(1, 0, "172.17.0.1", Outcome::wrong_host)};

TEST(WorkerNetwork, TriesFirstWhatLeadsOutside) {
  const auto likely = likely_interfaces(two_hosts()[0]);
  ASSERT_EQ(likely.size(), 1u);
  EXPECT_EQ(likely[0].name, "eth0");
}

TEST(WorkerNetwork, TriesFirstTheBridgeByWhichTheHostWasNamedToo) {
  JobHost named = two_hosts()[0];
  named.named_address = "172.17.0.1";
  EXPECT_EQ(likely_interfaces(named).size(), 2u);
}

TEST(WorkerNetwork, TriesEverythingWhereNothingLeadsOutside) {
  JobHost bare = two_hosts()[0];
  bare.facts.interfaces.pop_back();
  EXPECT_EQ(likely_interfaces(bare).size(), 2u);
}

TEST(WorkerNetwork, NamesEachHostsCardForNccl) {
  const auto hosts = two_hosts();
  const auto choice = choice_between(hosts, whole);
  EXPECT_EQ(socket_ifname(choice.hosts[0]), "=eth0");
  EXPECT_EQ(socket_ifname(choice.hosts[1]), "=enp3s0");
  EXPECT_EQ(socket_ifname({{"eth0", "eth1"}, "", {}}), "=eth0,eth1");
  EXPECT_EQ(socket_ifname({}), "");
  EXPECT_THAT(describe(hosts, choice),
              ElementsAre("Network: a uses eth0 192.168.1.5 for NCCL", "Network: b uses enp3s0 192.168.1.6 for NCCL"));
  EXPECT_FALSE(needs_explanation(hosts, whole, choice));
}

TEST(WorkerNetwork, KeepsWhatAHostHasSetAndChecksIt) {
  auto hosts = two_hosts();
  hosts[0].facts.configuration.environment["NCCL_SOCKET_IFNAME"] = "^docker,lo";
  hosts[1].facts.configuration.nccl_files["/etc/nccl.conf"]["NCCL_SOCKET_IFNAME"] = "enp";
  const auto choice = choice_between(hosts, whole);
  EXPECT_THAT(describe(hosts, choice), ElementsAre("Network: a keeps NCCL_SOCKET_IFNAME=^docker,lo",
                                                   "Network: b keeps NCCL_SOCKET_IFNAME=enp of /etc/nccl.conf"));
  EXPECT_TRUE(needs_explanation(hosts, whole, choice));
  EXPECT_FALSE(has_errors(network_faults(hosts, whole, choice)));
}

TEST(WorkerNetwork, SaysThatAHostsOwnSettingTakesTheBridge) {
  auto hosts = two_hosts();
  hosts[1].facts.configuration.environment["NCCL_SOCKET_IFNAME"] = "docker0";
  const auto findings = network_faults(hosts, whole, choice_between(hosts, whole));
  EXPECT_TRUE(has_errors(findings));
  EXPECT_THAT(text_of(findings), AllOf(HasSubstr("NCCL_SOCKET_IFNAME"), HasSubstr("docker0")));
}

TEST(WorkerNetwork, ExplainsADirectionThatIsCut) {
  const auto hosts = two_hosts();
  const auto choice = choice_between(hosts, one_way);
  EXPECT_TRUE(needs_explanation(hosts, one_way, choice));
  const auto findings = network_faults(hosts, one_way, choice);
  EXPECT_TRUE(has_errors(findings));
  const std::string text = text_of(findings);
  EXPECT_THAT(text, testing::StartsWith("worker: error "));
  EXPECT_THAT(text, HasSubstr("192.168.1.5"));
}

TEST(WorkerNetwork, ExplainsAPathThatLosesLargePackets) {
  auto hosts = two_hosts();
  ReachMatrix narrow = whole;
  narrow[0].mtu_tried = 9000;
  narrow[0].bulk_passed = 0;
  for (auto& host : hosts) {
    for (Interface& card : host.facts.interfaces) card.mtu = 9000;
  }
  const auto choice = choice_between(hosts, narrow);
  EXPECT_TRUE(needs_explanation(hosts, narrow, choice));
  EXPECT_THAT(text_of(network_faults(hosts, narrow, choice)), AllOf(HasSubstr("F4"), HasSubstr("1500")));
}

TEST(WorkerNetwork, SaysNothingOfAHostThatIsWell) {
  EXPECT_FALSE(has_errors(own_network_faults(two_hosts()[0].facts)));
}

TEST(WorkerNetwork, TellsOfNothingButTheNetwork) {
  // Another Open MPI on b: the catalogue knows it, but this job runs.
  auto hosts = two_hosts();
  hosts[0].facts.software.open_mpi = "4.1.4";
  hosts[1].facts.software.open_mpi = "5.0.7";
  EXPECT_THAT(text_of(network_faults(hosts, whole, choice_between(hosts, whole))), Not(HasSubstr("5.0.7")));
}

TEST(ProbeReport, ArrivesAsItWasSent) {
  EXPECT_THAT(links_from_json("[]"), IsEmpty());
  Link sent = link(3, 4, "192.168.1.6", Outcome::no_host);
  sent.seen_as = "10.0.0.1";
  sent.source = "192.168.1.5";
  sent.mtu_tried = 9000;
  sent.mtu_passed = 1500;
  const auto links = links_from_json(to_json(std::vector<Link>{sent}));
  ASSERT_EQ(links.size(), 1u);
  const Link& got = links[0];
  EXPECT_EQ(got.from, 3);
  EXPECT_EQ(got.to, 4);
  EXPECT_EQ(got.address, "192.168.1.6");
  EXPECT_EQ(got.seen_as, "10.0.0.1");
  EXPECT_EQ(got.source, "192.168.1.5");
  EXPECT_EQ(got.mtu_tried, 9000);
  EXPECT_EQ(got.mtu_passed, 1500);
  ASSERT_EQ(got.attempts.size(), 2u);
  EXPECT_EQ(got.attempts[0].port, 40111);
  EXPECT_EQ(got.attempts[0].outcome, Outcome::no_host);
  EXPECT_EQ(got.attempts[0].error, 110);
  EXPECT_EQ(got.attempts[0].milliseconds, 3);

  const auto listening =
      listening_addresses_from_json(to_json(std::vector<ListeningAddress>{{"192.168.1.6", {5, 6}}, {"10.0.0.1", {}}}));
  ASSERT_EQ(listening.size(), 2u);
  EXPECT_EQ(listening[0].address, "192.168.1.6");
  EXPECT_THAT(listening[0].ports, ElementsAre(5, 6));
  EXPECT_THAT(listening[1].ports, IsEmpty());
}

}  // namespace
}  // namespace ringrun::worker
