#include <gtest/gtest.h>

#include "launcher/probe/agent_protocol.hpp"
#include "launcher/probe/probe.hpp"
#include "launcher/probe/staging.hpp"
#include "lib/version.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

AgentReply reply(AgentReply::End end, int code = 0, const std::string& words = "") {
  AgentReply reply;
  reply.end = end;
  reply.code = code;
  reply.words = words;
  return reply;
}

AgentFault fault_of(const AgentReply& reply) {
  HostAnswer answer;
  read_reply(reply, true, answer);
  return answer.fault;
}

TEST(AgentProtocol, RequestsArriveAsTheyWereSent) {
  const ListenRequest listen{"abc", 3, {"192.168.1.5", "10.0.0.1"}, 2, PortRange{20000, 20010}};
  const auto got = std::get<ListenRequest>(agent_request_from_json(to_json(AgentRequest(listen))));
  EXPECT_EQ(got.nonce, "abc");
  EXPECT_EQ(got.host, 3);
  EXPECT_EQ(got.addresses, listen.addresses);
  EXPECT_EQ(got.range, listen.range);

  const ConnectRequest connect{{{7, {"192.168.1.6", {1234, 1235}}}}, 900};
  const auto tried = std::get<ConnectRequest>(agent_request_from_json(to_json(AgentRequest(connect))));
  EXPECT_EQ(tried.deadline_ms, 900);
  EXPECT_EQ(tried.targets.at(0).host, 7);
  EXPECT_EQ(tried.targets.at(0).at.ports, (std::vector<int>{1234, 1235}));

  HostQuestion question;
  question.program = "/bin/true";
  question.thorough = true;
  const auto asked = std::get<HostQuestion>(agent_request_from_json(to_json(AgentRequest(question))));
  EXPECT_EQ(asked.program, "/bin/true");
  EXPECT_TRUE(asked.thorough);
}

TEST(HostQuestion, AsksAHostWithTheVariablesThatItsOwnRanksWillFind) {
  Host host;
  host.attributes.environment = {{"CUDA_VISIBLE_DEVICES", "1"}, {"LD_LIBRARY_PATH", "/own"}, {"A", "own"}};
  HostQuestion common;
  common.environment = {{"A", "asked"}};
  common.more_programs.emplace_back();
  const HostQuestion asked = question_for(host, common);
  EXPECT_EQ(asked.visible_devices, "1");
  EXPECT_EQ(asked.environment.at("LD_LIBRARY_PATH"), "/own");
  EXPECT_EQ(asked.more_programs[0].environment.at("LD_LIBRARY_PATH"), "/own");
  EXPECT_EQ(asked.environment.at("A"), "asked") << "-x wins";
  EXPECT_EQ(asked.more_programs[0].environment.at("CUDA_VISIBLE_DEVICES"), "1");
  common.more_programs[0].environment["CUDA_VISIBLE_DEVICES"] = "3";
  EXPECT_EQ(question_for(host, common).more_programs[0].environment.at("CUDA_VISIBLE_DEVICES"), "3") << "-x wins";
  common.visible_devices = "0";
  EXPECT_EQ(question_for(host, common).visible_devices, "0");
  host.attributes = {};
  host.attributes.gpus = {2, 0};
  EXPECT_EQ(question_for(host, HostQuestion()).visible_devices, "2,0") << "whatever the host's shell hides";
}

TEST(AgentProtocol, WhatIsNoRequestIsRefusedWithARemedy) {
  for (const char* line : {"", "hello", "{}", "[1]", R"({"schema":99,"ask":"facts"})", R"({"schema":1,"ask":"fly"})",
                           R"({"schema":1,"ask":"listen","nonce":5})"}) {
    EXPECT_THROW(agent_request_from_json(line), UserError) << line;
  }
}

TEST(ReadReply, TellsWhyAHostDidNotAnswer) {
  EXPECT_EQ(fault_of(reply(AgentReply::End::silent)), AgentFault::silent);
  EXPECT_EQ(fault_of(reply(AgentReply::End::exited, 255, "Permission denied")), AgentFault::shell_failed);
  EXPECT_EQ(fault_of(reply(AgentReply::End::exited, 127, "ringrun: not found")), AgentFault::no_program);
  EXPECT_EQ(fault_of(reply(AgentReply::End::exited, 1, "No such file or directory")), AgentFault::no_program);
  EXPECT_EQ(fault_of(reply(AgentReply::End::exited, 1, "srun: error: Unable to create step for job 7: Invalid job id")),
            AgentFault::shell_failed);
  EXPECT_EQ(fault_of(reply(AgentReply::End::exited, 1, "srun: error: b: task 0: Exited with exit code 1")),
            AgentFault::broken);
  EXPECT_EQ(fault_of(reply(AgentReply::End::exited, 0)), AgentFault::broken);
  EXPECT_EQ(fault_of(reply(AgentReply::End::not_started, 2)), AgentFault::no_shell);
}

TEST(ReadReply, TellsAContainerThatDockerKeepsClosedFromOneWithoutRingrun) {
  const auto fault_behind = [](int code, const std::string& words, bool here = false) {
    HostAnswer answer;
    read_reply(reply(code == 0 ? AgentReply::End::not_started : AgentReply::End::exited, code, words), true, answer);
    name_closed_container({"node", here}, answer);
    return answer.fault;
  };
  // Docker 20.10, 28 and 29, and shells where it is not installed.
  for (const char* words : {"Error: No such container: node", "Error response from daemon: Container 4e is not running",
                            "Got permission denied while trying to connect to the Docker daemon socket at unix:",
                            "permission denied while trying to connect to the docker API at unix:",
                            "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon "
                            "running?",
                            "Error response from daemon: Container node is paused, unpause the container before exec"})
    EXPECT_EQ(fault_behind(1, words), AgentFault::no_container) << words;
  for (const char* words :
       {"bash: line 1: docker: command not found", "sh: 1: docker: not found", "zsh:1: command not found: docker"})
    EXPECT_EQ(fault_behind(127, words), AgentFault::no_container) << words;
  EXPECT_EQ(fault_behind(0, "", true), AgentFault::no_container);
  EXPECT_EQ(fault_behind(127, "/bin/sh: 1: exec: /opt/docker/ringrun: not found"), AgentFault::no_program);
  EXPECT_EQ(fault_behind(255, "ssh: connect to host 192.168.1.6 port 22: Connection refused"),
            AgentFault::shell_failed);
}

TEST(ReadReply, TakesFactsOfThisVersionOnly) {
  HostFacts facts;
  facts.hostname = "b";
  facts.ringrun_version = kVersion;
  AgentReply said = reply(AgentReply::End::answered);
  said.answer = to_json(facts);
  HostAnswer answer;
  answer.fault = AgentFault::broken;
  read_reply(said, true, answer);
  EXPECT_EQ(answer.fault, AgentFault::none);
  EXPECT_EQ(answer.facts.hostname, "b");

  facts.ringrun_version = "0.0.1";
  said.answer = to_json(facts);
  EXPECT_EQ(fault_of(said), AgentFault::other_version);
  said.answer = "{\"schema\":1}";
  EXPECT_EQ(fault_of(said), AgentFault::other_version);
}

TEST(Staging, ACopyIsSentOnlyWhereItCanRun) {
  const std::string said = "Welcome!\nRINGRUN-LIBC glibc 2.36 x86_64\n";
  EXPECT_EQ(staging_obstacle(said, "2.34", "x86_64"), "");
  EXPECT_EQ(staging_obstacle(said, "2.36", "x86_64"), "");
  EXPECT_NE(staging_obstacle(said, "2.38", "x86_64").find("GLIBC_2.38"), std::string::npos);
  EXPECT_NE(staging_obstacle(said, "2.4", "aarch64").find("aarch64"), std::string::npos);
  EXPECT_NE(staging_obstacle("RINGRUN-LIBC  x86_64\n", "2.34", "x86_64").find("GNU C library"), std::string::npos);
}

}  // namespace
}  // namespace ringrun
