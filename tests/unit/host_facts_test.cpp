#include "lib/host/host_facts.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "lib/host/build_id.hpp"
#include "lib/host/card_links.hpp"
#include "lib/host/cpuset_facts.hpp"
#include "lib/host/visible_devices_note.hpp"
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

TEST(HostFacts, CountTheProcessorsThatTheMaskHidesToo) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const std::vector<int> cpus = cpuset_cpus();
  cpu_set_t after;
  sched_getaffinity(0, sizeof after, &after);
  sched_setaffinity(0, sizeof all, &all);
  EXPECT_GE(static_cast<int>(cpus.size()), CPU_COUNT(&all));
  EXPECT_EQ(CPU_COUNT(&after), 1) << "ours stays as it was";
}

TEST(VisibleDevices, AreSpokenOfWhereNobodyCanHaveMeantWhatCudaShows) {
  const std::vector<Gpu> one(1);
  const std::vector<Gpu> two(2);
  EXPECT_EQ(visible_devices_note("0,0", {}), "CUDA_VISIBLE_DEVICES=0,0: CUDA shows none of its 2 entries");
  EXPECT_EQ(visible_devices_note("7", {}), "CUDA_VISIBLE_DEVICES=7: CUDA shows no GPU for it");
  EXPECT_EQ(visible_devices_note("0,5,1", one), "CUDA_VISIBLE_DEVICES=0,5,1: CUDA shows 1 of its 3 entries");
  EXPECT_TRUE(is_mistaken(visible_devices_note("0,5,1", one)));
  for (const char* meant : {"", "-1", "NoDevFiles"})
    EXPECT_FALSE(is_mistaken(visible_devices_note(meant, {}))) << meant;
  EXPECT_EQ(visible_devices_note("0,1", two), "");
  EXPECT_EQ(visible_devices_note("0,-1", one), "") << "the end of the list";
}

TEST(VisibleGpus, AreThoseOfEachProgramWhereTheyDiffer) {
  std::vector<Gpu> all(2);
  all[1].index = 1;
  HostFacts facts;
  take_visible_gpus(all, {std::nullopt, std::nullopt}, facts);
  EXPECT_EQ(facts.gpus, all);
  EXPECT_TRUE(facts.more_gpus.empty()) << "they are the same";
  facts = {};
  take_visible_gpus(all, {"1", "0", "7"}, facts);
  EXPECT_EQ(facts.gpus, std::vector<Gpu>{all[1]});
  EXPECT_EQ(facts.more_gpus, (std::vector<std::vector<Gpu>>{{all[0]}, {}}));
  EXPECT_EQ(facts.gpu_note, "CUDA_VISIBLE_DEVICES=7: CUDA shows no GPU for it");
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
