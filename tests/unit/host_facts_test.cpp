#include "lib/host/host_facts.hpp"

#include <gtest/gtest.h>

#include "lib/host/build_id.hpp"
#include "lib/host/card_links.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

HostQuestion about(const std::string& program, const std::string& cwd = "/") {
  HostQuestion question;
  question.program = program;
  question.cwd = cwd;
  return question;
}

TEST(CardLinks, AreWhatTheKernelSaysOfInterfacesAndHcas) {
  Machine machine;
  machine.cards = {{"eth0", false}, {"eth1", false, {}, LinkState::unknown, 8000}, {"mlx5_0", true}, {"mlx5_1", true}};
  Interface up;
  up.name = "eth0";
  up.up = true;
  up.speed = 25000;
  Interface hca_namesake;
  hca_namesake.name = "mlx5_1";
  InfinibandDevice down;
  down.name = "mlx5_0";
  down.rate = 400;
  take_links({up, hca_namesake}, {{down}, false}, machine);
  EXPECT_EQ(machine.cards[0].link, LinkState::up);
  EXPECT_EQ(machine.cards[0].speed, 25000);
  EXPECT_EQ(machine.cards[1].link, LinkState::unknown) << "no such interface is in this network namespace";
  EXPECT_EQ(machine.cards[1].speed, 8000);
  EXPECT_EQ(machine.cards[2].link, LinkState::down);
  EXPECT_EQ(machine.cards[2].speed, 400000);
  EXPECT_EQ(machine.cards[3].link, LinkState::unknown);
}

TEST(HostFacts, OfThisHostSurviveTheirJourney) {
  const HostFacts facts = read_host_facts(about("/bin/sh", "/tmp"));
  EXPECT_EQ(facts.program.state, ProgramState::executable);
  EXPECT_TRUE(facts.cwd_exists);
  EXPECT_GT(core_count(facts.machine), 0);
  EXPECT_GE(facts.free_port, 1024);
  EXPECT_EQ(facts.ringrun_version, kVersion);
  EXPECT_FALSE(facts.ringrun_build.empty());
  EXPECT_FALSE(facts.interfaces.empty());
  EXPECT_FALSE(facts.software.glibc.empty());
  EXPECT_GT(facts.limits.shm_bytes, 0);
  EXPECT_EQ(host_facts_from_json(to_json(facts)), facts);
}

TEST(HostFacts, TellWhetherTheFolderOfTheJobExists) {
  EXPECT_FALSE(read_host_facts(about("", "/nowhere")).cwd_exists);
  EXPECT_FALSE(read_host_facts(about("", "/etc/passwd")).cwd_exists);
}

TEST(HostFacts, CarryTheFreePortOfTheAskedRange) {
  HostQuestion question = about("");
  question.first_port = 41000;
  question.last_port = 41999;
  const int port = read_host_facts(question).free_port;
  EXPECT_GE(port, 41000);
  EXPECT_LE(port, 41999);
}

TEST(HostFacts, NameTheBuildAsTheLinkerDid) {
  const std::string id = own_build_id();
  EXPECT_EQ(id.size(), 40u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
}

}  // namespace
}  // namespace ringrun
