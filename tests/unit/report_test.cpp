#include "launcher/preflight/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace ringrun {
namespace {

using testing::HasSubstr;
using testing::Not;

/// n0 launches, each reaches the next, and all are alike.
Situation alike_hosts(int count) {
  Situation situation;
  for (int i = 0; i < count; ++i) {
    HostView host;
    host.name = "n" + std::to_string(i);
    host.local = i == 0;
    host.facts.system.distribution = "Debian GNU/Linux 12";
    Interface card;
    card.name = "eth0";
    card.up = true;
    card.mtu = 1500;
    card.ipv4 = {{"10.0.0." + std::to_string(i), 24}};
    host.facts.interfaces = {card};
    situation.hosts.push_back(std::move(host));
    situation.network.hosts.push_back({{"eth0"}, card.ipv4[0].ip, {"10.0.0.0/24"}});
    const int next = (i + 1) % count;
    situation.reach.push_back({i, next, "10.0.0." + std::to_string(next), {{4000, Outcome::reached, 0, 1}}, "", ""});
    situation.reach.back().mtu_tried = situation.reach.back().mtu_passed = 1500;
  }
  return situation;
}

std::string report_of(const Situation& situation) {
  NetworkSettings settings;
  for (const HostView& host : situation.hosts) settings.lines.push_back(host.name + " uses eth0");
  std::ostringstream out;
  print_report(out, situation, settings, {});
  return out.str();
}

TEST(Report, OfManyHostsShowsThoseThatAreAlikeAsOne) {
  const std::string report = report_of(alike_hosts(64));
  EXPECT_THAT(report, HasSubstr("n0 (this host): Debian GNU/Linux 12"));
  EXPECT_THAT(report, HasSubstr("63 hosts (n1, n2, … n63): Debian GNU/Linux 12"));
  EXPECT_THAT(report, HasSubstr("\n  eth0 mtu 1500\n"));
  EXPECT_THAT(report, HasSubstr("64 ways from a host to another one's address: reached, packets of 1500 pass\n"));
  EXPECT_THAT(report, HasSubstr("64 hosts (n0, n1, … n63) use eth0\n"));
  EXPECT_LT(std::count(report.begin(), report.end(), '\n'), 16) << report;
}

TEST(Report, OfManyHostsNamesThoseThatDiffer) {
  Situation situation = alike_hosts(64);
  situation.hosts[7].facts.interfaces[0].mtu = 9000;
  situation.hosts[9].fault = AgentFault::silent;
  situation.reach[20].attempts[0].outcome = Outcome::dropped;
  situation.network.hosts[5].interfaces = {"eth1"};
  const std::string report = report_of(situation);
  EXPECT_THAT(report, HasSubstr("n7: Debian GNU/Linux 12"));
  EXPECT_THAT(report, HasSubstr("\n  eth0 10.0.0.7/24 mtu 9000\n"));
  EXPECT_THAT(report, HasSubstr("n9: no answer\n"));
  EXPECT_THAT(report, HasSubstr("61 hosts (n1, n2, … n63): "));
  EXPECT_THAT(report, HasSubstr("n20   n21  10.0.0.21   4000  no answer"));
  EXPECT_THAT(report, HasSubstr("63 more ways from a host to another one's address: reached"));
  EXPECT_THAT(report, HasSubstr("n5 uses eth1\n"));
}

TEST(Report, OfFewHostsShowsEach) {
  const std::string report = report_of(alike_hosts(16));
  for (const char* line : {"n1: Debian", "\nn15: Debian", "\n  eth0 10.0.0.15/24 mtu 1500\n", "\nn15 uses eth0\n"})
    EXPECT_THAT(report, HasSubstr(line));
  EXPECT_THAT(report, Not(HasSubstr("hosts (")));
}

}  // namespace
}  // namespace ringrun
