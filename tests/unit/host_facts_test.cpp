#include "lib/host/host_facts.hpp"

#include <gtest/gtest.h>

#include "launcher/probe/probe.hpp"
#include "lib/host/interfaces.hpp"
#include "lib/version.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

std::vector<Gpu> three_gpus() {
  return {
      {0, "0000:01:00.0", "GPU-aa11", "A"}, {1, "0000:02:00.0", "GPU-aa22", "B"}, {2, "0000:03:00.0", "GPU-bb33", "C"}};
}

std::string visible(const std::string& value) {
  std::string text;
  for (const Gpu& gpu : visible_gpus(three_gpus(), value)) text += std::to_string(gpu.index);
  return text;
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
  const HostFacts facts = read_host_facts({"/bin/sh", "/tmp", std::nullopt});
  EXPECT_EQ(facts.program, ProgramState::executable);
  EXPECT_TRUE(facts.cwd_exists);
  EXPECT_GT(core_count(facts.machine), 0);
  EXPECT_GE(facts.free_port, 29500);
  EXPECT_EQ(to_json(host_facts_from_json(to_json(facts))), to_json(facts));
}

TEST(HostFacts, TellAMissingProgramFromOneThatCannotBeExecuted) {
  EXPECT_EQ(read_host_facts({"/nowhere/x", "/nowhere", std::nullopt}).program, ProgramState::missing);
  EXPECT_EQ(read_host_facts({"/etc/passwd", "/", std::nullopt}).program, ProgramState::not_executable);
}

TEST(Interfaces, OfContainersDoNotLeadOutside) {
  for (const char* name : {"docker0", "br-12ab", "virbr0", "veth12"})
    EXPECT_FALSE(leads_outside({name, "172.17.0.1", true, false}));
  EXPECT_TRUE(leads_outside({"enp3s0", "192.168.1.6", true, false}));
  EXPECT_FALSE(leads_outside({"enp3s0", "192.168.1.6", false, false}));
  EXPECT_FALSE(leads_outside({"lo", "127.0.0.1", true, true}));
}

class Answer : public testing::Test {
 protected:
  std::string fault(const Captured& captured) {
    HostFacts facts;
    Host host;
    host.name = "b";
    const auto found = read_answer(host, {"/opt/ringrun", {"ssh", "-x"}, {}, 30}, captured, facts);
    return found ? found->cause + " | " + found->remedy : "";
  }
  std::string answer(const std::string& version = kVersion) {
    HostFacts facts;
    facts.ringrun_version = version;
    return "\nRINGRUN-FACTS " + to_json(facts) + "\n";
  }
};

TEST_F(Answer, IsFoundBehindALoginsChatter) {
  EXPECT_EQ(fault({Captured::End::exited, 0, "Welcome to b!\nRINGRUN-FACTS is no answer\n" + answer() + "bye\n", ""}),
            "");
  EXPECT_EQ(fault({Captured::End::exited, 0, answer().substr(1), ""}), "");
}

TEST_F(Answer, OfAnotherVersionIsAFault) {
  EXPECT_EQ(fault({Captured::End::exited, 0, answer("0.0.1"), ""}),
            std::string("it has ringrun 0.0.1, this host has ") + kVersion +
                " | put the same version of ringrun on every host at /opt/ringrun");
  EXPECT_EQ(
      fault({Captured::End::exited, 0, "RINGRUN-FACTS {\"schema\":99}\n", ""}),
      "the host's answer has schema version 99, this ringrun reads 1 | put the same version of ringrun on every host");
}

TEST_F(Answer, ThatDoesNotComeIsExplained) {
  EXPECT_EQ(
      fault({Captured::End::exited, 255, "", "ssh: connect to host b port 22: Connection refused\r\n"}),
      "ssh failed (exit code 255)\n    ssh: connect to host b port 22: Connection refused | this must work from here, "
      "without a question: ssh -x b true");
  EXPECT_EQ(fault({Captured::End::exited, 127, "", "bash: /opt/ringrun: No such file or directory\n"}),
            "ringrun is missing there, or does not start (exit code 127)\n    bash: /opt/ringrun: No such file or "
            "directory | "
            "it must stand at the same path on every host: /opt/ringrun");
  EXPECT_EQ(fault({Captured::End::timed_out, 9, "", ""}),
            "no answer in 30 s | see what holds it up: ssh -x b true; or give it time with --start-timeout");
  EXPECT_EQ(fault({Captured::End::exited, 0, "hello\n", ""}),
            "ringrun's agent ended with exit code 0 without an answer | try there: echo | /opt/ringrun __agent");
}

}  // namespace
}  // namespace ringrun
