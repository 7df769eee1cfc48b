#include "launcher/preflight/adapters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringrun {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

InfinibandDevice roce(const std::string& name, const std::string& pci, int rate) {
  return {name, true, true, true, rate, pci};
}

Interface interface(const std::string& name, InterfaceKind kind, const std::string& pci, const std::string& master) {
  Interface result;
  result.name = name;
  result.kind = kind;
  result.up = true;
  result.pci_bus_id = pci;
  result.master = master;
  return result;
}

std::vector<std::string> names(const HostView& host, const std::vector<std::string>& chosen) {
  std::vector<std::string> list;
  for (const InfinibandDevice& card : adapters_that_reach(host, {chosen, "", {}})) list.push_back(card.name);
  return list;
}

TEST(Adapters, OfABondAndAVlanAreThoseOfTheCardsBelow) {
  HostView host;
  host.facts.interfaces = {interface("eth2", InterfaceKind::hardware, "0000:01:00.0", "bond0"),
                           interface("eth3", InterfaceKind::hardware, "0000:01:00.1", "bond0"),
                           interface("eth4", InterfaceKind::hardware, "0000:02:00.0", ""),
                           interface("bond0", InterfaceKind::bond, "", ""),
                           interface("bond0.100", InterfaceKind::vlan, "", ""),
                           interface("eth4.7", InterfaceKind::vlan, "", "")};
  host.facts.fabric.infiniband = {roce("mlx5_bond_0", "0000:01:00.0", 100), roce("mlx5_2", "0000:02:00.0", 100)};
  EXPECT_THAT(names(host, {"bond0"}), ElementsAre("mlx5_bond_0"));
  EXPECT_THAT(names(host, {"bond0.100"}), ElementsAre("mlx5_bond_0"));
  EXPECT_THAT(names(host, {"eth4.7"}), ElementsAre("mlx5_2"));
}

TEST(Adapters, AreNotSaidWhereTheFastestWouldBeLeftOut) {
  HostView host;
  host.facts.interfaces = {interface("eth0", InterfaceKind::hardware, "0000:08:00.0", "")};
  host.facts.fabric.infiniband = {roce("mlx5_0", "0000:01:00.0", 400), roce("mlx5_8", "0000:08:00.0", 25)};
  EXPECT_THAT(names(host, {"eth0"}), IsEmpty());
  host.facts.fabric.infiniband[0].ethernet = false;
  EXPECT_THAT(names(host, {"eth0"}), ElementsAre("mlx5_0")) << "InfiniBand leads everywhere, the slow card stays out";
}

TEST(Adapters, AreComparedWithAListByNcclsRule) {
  const std::vector<InfinibandDevice> cards = {roce("mlx5_0", "", 400), roce("mlx5_1", "", 400)};
  for (const char* list : {"mlx5", "=mlx5_1", "mlx5_1:1", "^mlx5_0", "^=mlx5_0:1"}) {
    EXPECT_TRUE(takes_adapter(list, cards)) << list;
  }
  for (const char* list : {"mlx4", "=mlx5", "mlx5_1:2", "^mlx5"}) EXPECT_FALSE(takes_adapter(list, cards)) << list;
}

}  // namespace
}  // namespace ringrun
