#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lib/host/host_facts.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Json = nlohmann::json;

/// Every field has a value that it would not have by itself.
HostFacts full_facts() {
  HostFacts facts;
  facts.hostname = "b";
  facts.identity = "boot:net:b";
  facts.ringrun_version = "1.2.3";
  facts.ringrun_build = "0123abcd";
  facts.machine = Machine{{{1, 1, {{{0, 64}}}, false}},
                          {{10}},
                          {{{"0000:4e:00.0", {1}, {3}}, "A", "GPU-aa"}},
                          {{"mlx5_0", true, {"0000:4f:00.0", {1}, {3}}, LinkState::up, 400000}}};
  facts.cpuset_cpus = 4;
  facts.cpuset_cores = 2;
  facts.gpus = {{1, "0000:4e:00.0", "GPU-aa", "A", "prohibited", true, 4, 5, 8, 16, {"power cap"}, {{"MIG-bb", 1, 2}}}};
  facts.more_gpus = {{}, facts.gpus};
  facts.gpu_note = "note";
  facts.interfaces = {{"enp3s0",
                       InterfaceKind::bond,
                       true,
                       true,
                       "bond0",
                       "igb",
                       "0000:01:00.0",
                       9000,
                       25000,
                       {{"192.168.1.6", 24}},
                       {{"fe80::1", 64}}}};
  facts.system = {"6.1", "boot",          true,           "nat",         true, true,     true,
                  true,  {"/.dockerenv"}, "Ubuntu 22.04", 1234567890123, true, "aarch64"};
  facts.limits = {67108864, 4096, 65536, false, false, 1024, 65000};
  facts.software = {"2.35",
                    "4.1.4",
                    "/usr/bin/orted",
                    "2.28.9",
                    "/usr/lib/libnccl.so.2",
                    "cannot open",
                    "/usr/lib/libnccl-net.so",
                    "580.95.05",
                    13000,
                    "Driver/library version mismatch",
                    true,
                    "3.4.30"};
  facts.fabric = {{{"mlx5_0", true, true, true, 400, "0000:4f:00.0"}}, true};
  facts.configuration = {{{"NCCL_DEBUG", "INFO"}},
                         {{"/etc/nccl.conf", {{"NCCL_SOCKET_IFNAME", "^docker"}}}},
                         {{"~/.openmpi/mca-params.conf", {{"btl", "self,tcp"}}}},
                         "127.0.1.1"};
  facts.program = {ProgramState::missing, "ffee", {"libx.so.1"}, "/usr/lib/libmpi.so.40", "2.38", "3.4.32", "x86_64"};
  facts.cwd_exists = true;
  facts.free_port = 29500;
  facts.master_port_free = false;
  facts.master_port_holder = "pid 4711 (python3)";
  facts.more_programs = {facts.program};
  return facts;
}

/// The places of all values in a document, as JSON pointers.
std::vector<std::string> places(const Json& json) {
  std::vector<std::string> found;
  const Json flat = json.flatten();
  for (const auto& item : flat.items()) found.push_back(item.key());
  return found;
}

TEST(FactsJson, CarriesEveryField) {
  const HostFacts facts = full_facts();
  EXPECT_EQ(host_facts_from_json(to_json(facts)), facts);
}

TEST(FactsJson, IsTriedWithEveryFieldSet) {
  const Json full = Json::parse(to_json(full_facts()));
  const Json empty = Json::parse(to_json(HostFacts{}));
  for (const std::string& place : places(full)) {
    const Json::json_pointer pointer(place);
    if (place == "/schema" || !empty.contains(pointer)) continue;
    EXPECT_NE(full.at(pointer), empty.at(pointer)) << place << " has its default: a lost field would not be seen";
  }
}

TEST(FactsJson, WithoutAFieldIsRefused) {
  const Json full = Json::parse(to_json(full_facts()));
  int tried = 0;
  for (const std::string& place : places(full)) {
    const Json::json_pointer pointer(place);
    const std::string name = pointer.back();
    // Lists and the settings by name may be shorter.
    const bool setting = name.rfind("NCCL_", 0) == 0 || name == "btl";
    if (name.find_first_not_of("0123456789") == std::string::npos || setting) continue;
    Json less = full;
    less.at(pointer.parent_pointer()).erase(name);
    EXPECT_NE(problem_of([&] { host_facts_from_json(less.dump()); }), "") << place;
    ++tried;
  }
  EXPECT_GT(tried, 60);
}

TEST(FactsJson, OfAnotherSchemaIsRefusedWithARemedy) {
  EXPECT_EQ(error_text([] { host_facts_from_json(R"({"schema":1})"); }),
            "the host's answer has schema version 1, this ringrun reads 6 | put the same version of ringrun on every "
            "host");
  EXPECT_EQ(problem_of([] { host_facts_from_json("[]"); }), "the host's answer is not a JSON object");
}

TEST(FactsJson, ReplacesBytesThatAreNotText) {
  HostFacts facts;
  facts.gpu_note = "bad \xff byte";
  EXPECT_EQ(host_facts_from_json(to_json(facts)).gpu_note, "bad \xef\xbf\xbd byte");
  EXPECT_EQ(to_json(facts).find('\n'), std::string::npos);
}

TEST(QuestionJson, CarriesEveryField) {
  const HostQuestion question{"/bin/x", "/home", "1,0", {{"LD_LIBRARY_PATH", "/opt/lib"}}, "/opt/mpi", 8888,
                              40000,    40100,   true,  {{"/bin/y", "/tmp", {{"A", "b"}}}}};
  const HostQuestion read = host_question_from_json(to_json(question));
  EXPECT_EQ(read.program, "/bin/x");
  EXPECT_EQ(read.cwd, "/home");
  EXPECT_EQ(read.visible_devices, "1,0");
  EXPECT_EQ(read.environment, question.environment);
  EXPECT_EQ(read.master_port, 8888);
  EXPECT_EQ(read.first_port, 40000);
  EXPECT_EQ(read.last_port, 40100);
  EXPECT_TRUE(read.thorough);
  EXPECT_EQ(read.more_programs, question.more_programs);
}

TEST(QuestionJson, TellsUnsetDevicesFromNone) {
  HostQuestion question;
  EXPECT_EQ(host_question_from_json(to_json(question)).visible_devices, std::nullopt);
  question.visible_devices = "";
  EXPECT_EQ(host_question_from_json(to_json(question)).visible_devices, "");
}

TEST(QuestionJson, WithoutAFieldIsRefused) {
  EXPECT_EQ(problem_of([] { host_question_from_json(R"({"schema":6,"program":"x"})"); }).substr(0, 40),
            "the launcher's question is not complete:");
}

}  // namespace
}  // namespace ringrun
