// Hosts with more networks than the one that joins them: the job takes that one, whatever the others are called.
#include <gmock/gmock.h>

#include "tests/lab/network_lab.hpp"

namespace ringrun::test {
namespace {

struct Change {
  std::string host;
  std::vector<std::string> thing;
};

struct Landscape {
  const char* name;
  std::vector<Change> changes;
};

void PrintTo(const Landscape& landscape, std::ostream* stream) { *stream << landscape.name; }

class NetworkChoice : public NetworkLab, public testing::WithParamInterface<Landscape> {
 protected:
  void SetUp() override {
    NetworkLab::SetUp();
    if (!lab) return;
    for (const auto& [host, thing] : GetParam().changes)
      changes_.push_back(std::make_unique<HostChange>(*lab, host, thing));
  }
  void TearDown() override {
    changes_.clear();
    NetworkLab::TearDown();
  }

 private:
  std::vector<std::unique_ptr<HostChange>> changes_;
};

TEST_P(NetworkChoice, RingrunRunsOverTheLan) {
  const auto result = sweep();
  expect_right_sweep_over_the_lan(result);
  for (const auto& [id, finding] : findings_in(result.err)) EXPECT_NE(finding.severity, "error") << finding.text;
}

class WorkerAlone : public NetworkChoice {};

TEST_P(WorkerAlone, RunsByPlainMpirun) { expect_right_sweep(plain_mpirun()); }

const Landscape names_differ{"NamesDiffer", {}};
const Landscape docker0_on_b{"Docker0IsOnB", {{"b", {"docker0"}}}};
// Plain mpirun 4.1.4 and another program than the worker: hangs for ever.
const Landscape docker0_on_both{"Docker0IsOnBoth", {{"a", {"docker0"}}, {"b", {"docker0"}}}};
// The same: fails, the network is unreachable.
const Landscape docker0_and_bridge{"Docker0IsOnBAndABridgeOnA",
                                   {{"a", {"network", "virbr1", "10.9.0.1/24", "bridge"}}, {"b", {"docker0"}}}};
const Landscape other_bridges{
    "BridgesWithOtherNetworksAreOnBoth",
    {{"a", {"network", "virbr1", "10.9.0.1/24", "bridge"}}, {"b", {"network", "br0", "10.8.0.1/24", "bridge"}}}};
const Landscape tun_on_both{"ATunIsOnBoth",
                            {{"a", {"network", "tailscale0", "100.64.0.1/32", "tun"}},
                             {"b", {"network", "tailscale0", "100.64.0.2/32", "tun"}}}};
// NCCL takes every name that begins with the one it is given.
const Landscape vlan_like_names{"AVlanHasTheRightNameAtItsBeginning",
                                {{"a", {"network", "eth0.20", "10.20.0.1/24", "bridge"}},
                                 {"b", {"network", "enp3s0.20", "10.20.0.1/24", "bridge"}}}};
// Cards that differ from the right one in nothing but that they do not lead to the other host. The worker cannot tell
// before MPI_Init, so these are for ringrun alone.
const Landscape private_card{"ACardWithAPrivateNetworkIsOnA", {{"a", {"network", "eth1", "10.9.0.1/24"}}}};
const Landscape other_cards{"CardsWithOtherNetworksAreOnBoth",
                            {{"a", {"network", "eth1", "10.9.0.1/24"}}, {"b", {"network", "enp4s0", "10.8.0.1/24"}}}};
const Landscape cards_without_a_wire{
    "CardsOfOneNetworkWithoutAWireAreOnBoth",
    {{"a", {"network", "eth1", "10.9.0.1/24"}}, {"b", {"network", "enp4s0", "10.9.0.2/24"}}}};

std::string name_of(const testing::TestParamInfo<Landscape>& landscape) { return landscape.param.name; }

INSTANTIATE_TEST_SUITE_P(Where, NetworkChoice,
                         testing::Values(names_differ, docker0_on_b, docker0_on_both, docker0_and_bridge, other_bridges,
                                         tun_on_both, vlan_like_names, private_card, other_cards, cards_without_a_wire),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Where, WorkerAlone,
                         testing::Values(docker0_on_b, docker0_on_both, docker0_and_bridge, other_bridges, tun_on_both,
                                         vlan_like_names),
                         name_of);

}  // namespace
}  // namespace ringrun::test
