#include "lib/host/host_facts.hpp"

#include <gtest/gtest.h>

#include "lib/host/build_id.hpp"
#include "lib/version.hpp"

namespace ringrun {
namespace {

std::vector<Gpu> three_gpus() {
  std::vector<Gpu> gpus(3);
  const char* uuids[] = {"GPU-aa11", "GPU-aa22", "GPU-bb33"};
  for (int i = 0; i < 3; ++i) {
    gpus[i].index = i;
    gpus[i].uuid = uuids[i];
  }
  return gpus;
}

std::string visible(const std::string& value) {
  std::string text;
  for (const Gpu& gpu : visible_gpus(three_gpus(), value)) text += std::to_string(gpu.index);
  return text;
}

HostQuestion about(const std::string& program, const std::string& cwd = "/") {
  HostQuestion question;
  question.program = program;
  question.cwd = cwd;
  return question;
}

TEST(VisibleGpus, AreCudasOwnChoice) {
  EXPECT_EQ(visible_gpus(three_gpus(), std::nullopt).size(), 3u);
  EXPECT_EQ(visible("2,0"), "20");
  EXPECT_EQ(visible(""), "");
  EXPECT_EQ(visible("0,-1,2"), "0");
  EXPECT_EQ(visible("1, 7,2"), "1");
  EXPECT_EQ(visible("GPU-bb,GPU-aa11"), "20");
  EXPECT_EQ(visible("GPU-aa"), "") << "a beginning that two GPUs share names none";
  EXPECT_EQ(visible("1,1"), "");
  EXPECT_EQ(visible("none"), "");
}

TEST(HostFacts, OfThisHostSurviveTheirJourney) {
  const HostFacts facts = read_host_facts(about("/bin/sh", "/tmp"));
  EXPECT_EQ(facts.program.state, ProgramState::executable);
  EXPECT_TRUE(facts.cwd_exists);
  EXPECT_GT(core_count(facts.machine), 0);
  EXPECT_GE(facts.free_port, 29500);
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
