#include "worker/tune/setting.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launcher/hosts/host_line.hpp"
#include "worker/tune/network_way.hpp"

namespace ringrun::worker {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TunedHost host(const std::string& name, std::vector<TunedHost::Card> cards = {}) {
  TunedHost host;
  host.name = name;
  host.cards = std::move(cards);
  return host;
}

std::vector<std::string> texts_of(const std::vector<TunedSetting>& settings, const std::vector<TunedHost>& hosts) {
  std::vector<std::string> texts;
  for (const TunedSetting& setting : settings) texts.push_back(text_of(setting, hosts));
  return texts;
}

TEST(TuneSettings, OfSocketsAreAFewNumbersOfThreadsAndSockets) {
  const std::vector<TunedHost> hosts{host("a", {{"eth0", "10.0.0.0/24"}}), host("b", {{"enp3s0", "10.0.0.0/24"}})};
  EXPECT_THAT(
      texts_of(socket_settings(hosts), hosts),
      ElementsAre("NCCL_SOCKET_NTHREADS=2 NCCL_NSOCKS_PERTHREAD=4", "NCCL_SOCKET_NTHREADS=1 NCCL_NSOCKS_PERTHREAD=1",
                  "NCCL_SOCKET_NTHREADS=2 NCCL_NSOCKS_PERTHREAD=1", "NCCL_SOCKET_NTHREADS=1 NCCL_NSOCKS_PERTHREAD=2",
                  "NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4"));
}

TEST(TuneSettings, LeaveOutWhatIsSetAlreadyAndTryWithoutIt) {
  TunedHost a = host("a");
  a.environment = {{"NCCL_SOCKET_NTHREADS", "2"}, {"NCCL_NSOCKS_PERTHREAD", "4"}};
  const std::vector<TunedHost> hosts{a};
  const auto texts = texts_of(socket_settings(hosts), hosts);
  EXPECT_THAT(texts, Not(Contains("NCCL_SOCKET_NTHREADS=2 NCCL_NSOCKS_PERTHREAD=4")));
  EXPECT_THAT(texts, Contains("NCCL_SOCKET_NTHREADS= NCCL_NSOCKS_PERTHREAD="));
  EXPECT_EQ(texts.size(), 5u);
}

TEST(TuneSettings, TryEachOfSeveralNetworksThatAllHostsHaveAlone) {
  const std::vector<TunedHost> hosts{
      host("a", {{"eth0", "10.0.0.0/24"}, {"eth1", "10.0.1.0/24"}, {"eth2", "10.9.0.0/24"}}),
      host("b", {{"enp3s0", "10.0.1.0/24"}, {"enp4s0", "10.0.0.0/24"}})};
  const auto settings = socket_settings(hosts);
  EXPECT_EQ(settings.size(), 7u);
  EXPECT_EQ(text_of(settings[0], hosts), "NCCL_SOCKET_IFNAME==eth0 on a, =enp4s0 on b");
  EXPECT_EQ(text_of(settings[1], hosts), "NCCL_SOCKET_IFNAME==eth1 on a, =enp3s0 on b");
  EXPECT_EQ(settings[1].variables[0].value_on(1), "=enp3s0");
}

TEST(TuneSettings, OfInfinibandAreQueuePairsAndEachDeviceAlone) {
  TunedHost a = host("a");
  a.hcas = {"mlx5_0", "mlx5_1"};
  TunedHost b = host("b");
  b.hcas = {"mlx5_0", "mlx5_1"};
  const std::vector<TunedHost> hosts{a, b};
  const auto texts = texts_of(infiniband_settings(hosts), hosts);
  EXPECT_THAT(texts, Contains("NCCL_IB_HCA==mlx5_1"));
  EXPECT_THAT(texts, Contains("NCCL_IB_QPS_PER_CONNECTION=4 NCCL_IB_SPLIT_DATA_ON_QPS=1"));
  EXPECT_EQ(texts.size(), 6u);
  b.hcas = {"mlx5_0"};
  EXPECT_EQ(infiniband_settings({a, b}).size(), 4u);
}

TEST(TuneSettings, KnowWhichDevicesNcclIbHcaChooses) {
  const std::vector<std::string> devices{"mlx5_0", "mlx5_1", "mlx5_10"};
  EXPECT_EQ(chosen_hcas(devices, ""), devices);
  EXPECT_THAT(chosen_hcas(devices, "mlx5_1"), ElementsAre("mlx5_1", "mlx5_10"));
  EXPECT_THAT(chosen_hcas(devices, "=mlx5_1:1,mlx5_0"), ElementsAre("mlx5_0", "mlx5_1"));
  EXPECT_THAT(chosen_hcas(devices, "^=mlx5_1"), ElementsAre("mlx5_0", "mlx5_10"));
}

TEST(TuneSettings, BecomeLinesThatTheHostfilesParserReads) {
  const std::vector<TunedHost> hosts{host("a"), host("b")};
  const TunedSetting setting{{{"NCCL_SOCKET_NTHREADS", {"2"}}, {"NCCL_SOCKET_IFNAME", {"=eth0", "=enp3s0,enp4s0"}}}};
  const auto lines = hostfile_lines(setting, hosts);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].line, "#: env.NCCL_SOCKET_NTHREADS=2");
  EXPECT_EQ(lines[2].host, "b");
  const auto environment = [](const PlacedLine& placed) {
    return parse_ringrun_attributes(placed.line.substr(2), "hostfile:1").environment;
  };
  EXPECT_EQ(environment(lines[0]).at("NCCL_SOCKET_NTHREADS"), "2");
  EXPECT_EQ(environment(lines[1]).at("NCCL_SOCKET_IFNAME"), "=eth0");
  EXPECT_EQ(environment(lines[2]).at("NCCL_SOCKET_IFNAME"), "=enp3s0,enp4s0");
  const auto plain = mpirun_lines(setting, hosts);
  EXPECT_EQ(plain[0].line, "-x NCCL_SOCKET_NTHREADS=2");
  EXPECT_EQ(plain[2].host, "b");
  EXPECT_EQ(plain[2].line, "NCCL_SOCKET_IFNAME==enp3s0,enp4s0");
}

TEST(TuneSettings, OfAHostTravelAsTheyAre) {
  TunedHost a = host("a", {{"eth0", "10.0.0.0/24"}});
  a.hcas = {"mlx5_0"};
  a.environment = {{"NCCL_SOCKET_IFNAME", "=eth0"}};
  EXPECT_EQ(tuned_host_from(to_text(a)), a);
}

TEST(TuneSettings, OfThisHostNameACardThatNcclWouldTake) {
  const TunedHost here = read_tuned_host("here");
  ASSERT_FALSE(here.cards.empty());
  EXPECT_THAT(here.cards.front().network, HasSubstr("/"));
}

TEST(TuneWays, ChooseTheSettingsByWhatJoinsTheRanks) {
  const std::vector<TunedHost> hosts{host("a")};
  const auto sockets = network_way({"P2P", "NET/Socket"}, hosts);
  EXPECT_EQ(sockets.ways, "NET/Socket and P2P");
  EXPECT_EQ(text_of(sockets.settings.front(), hosts), "NCCL_SOCKET_NTHREADS=2 NCCL_NSOCKS_PERTHREAD=4");
  EXPECT_THAT(text_of(network_way({"NET/IB"}, hosts).settings.front(), hosts), HasSubstr("NCCL_IB_QPS_PER_CONNECTION"));
  EXPECT_THAT(network_way({"NET/IBext_v8"}, hosts).settings, Not(IsEmpty()));
  EXPECT_THAT(network_way({"P2P", "SHM"}, hosts).why_none, HasSubstr("no rank reaches another one by a network"));
  EXPECT_THAT(network_way({"NET/AWS"}, hosts).why_none, HasSubstr("NET/AWS, a plugin"));
  EXPECT_THAT(network_way({}, hosts).settings, Not(IsEmpty()));
}

}  // namespace
}  // namespace ringrun::worker
