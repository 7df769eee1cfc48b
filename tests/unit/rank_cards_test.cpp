#include "launcher/job/rank_cards.hpp"

#include <gtest/gtest.h>

namespace ringrun {
namespace {

using Names = std::vector<std::string>;

/// Two hosts with one GPU, beside which sits a card that no other host reaches; eth1 is what was chosen.
class RankCards : public testing::Test {
 protected:
  void SetUp() override {
    Machine machine;
    machine.numa_nodes.resize(2);
    machine.numa_nodes[1].index = 1;
    machine.gpus = {{{"0000:01:00.0", {0}, {1}}, "", ""}};
    machine.cards = {{"eth0", false, {"0000:02:00.0", {0}, {1}}},
                     {"mlx5_0", true, {"0000:02:00.0", {0}, {1}}},
                     {"eth1", false, {"0000:82:00.0", {1}, {2}}},
                     {"mlx5_1", true, {"0000:82:00.0", {1}, {2}}}};
    for (int i = 0; i < 2; ++i) {
      JobHost& host = job_.hosts.emplace_back();
      host.gpus = gpus_of(machine);
      host.answer.facts.machine = machine;
      host.placements = resolve_placement(machine, host.gpus, 1, {}).ranks;
      HostView& view = situation_.hosts.emplace_back();
      Interface eth1;
      eth1.name = "eth1";
      eth1.pci_bus_id = "0000:82:00.0";
      view.facts.interfaces = {eth1};
      for (const char* name : {"mlx5_0", "mlx5_1"}) {
        InfinibandDevice& device = view.facts.fabric.infiniband.emplace_back();
        device.name = name;
        device.active = device.ethernet = true;
        device.rate = 100;
        device.pci_bus_id = name == std::string("mlx5_0") ? "0000:02:00.0" : "0000:82:00.0";
      }
      situation_.network.hosts.emplace_back();
      situation_.network.hosts.back().interfaces = {"eth1"};
    }
  }

  Job job_;
  Situation situation_;
};

TEST_F(RankCards, AreAllThatAHostHasWhereNobodyLookedAtTheNetwork) {
  name_cards(job_, situation_);
  EXPECT_EQ(job_.hosts[0].placements[0].nics, Names{"eth0"});
  EXPECT_EQ(job_.hosts[0].placements[0].hcas, Names{"mlx5_0"});
}

TEST_F(RankCards, AreThoseThatReachTheOtherHosts) {
  situation_.reach.resize(2);
  name_cards(job_, situation_);
  for (const JobHost& host : job_.hosts) {
    EXPECT_EQ(host.placements[0].nics, Names{"eth1"});
    EXPECT_EQ(host.placements[0].hcas, Names{"mlx5_1"});
  }
}

TEST_F(RankCards, AreNoAdaptersWhereNoneIsActive) {
  situation_.reach.resize(2);
  for (InfinibandDevice& device : situation_.hosts[0].facts.fabric.infiniband) device.active = false;
  name_cards(job_, situation_);
  EXPECT_EQ(job_.hosts[0].placements[0].hcas, Names{});
}

}  // namespace
}  // namespace ringrun
