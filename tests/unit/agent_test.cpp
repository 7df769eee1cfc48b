#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "launcher/probe/address_lookup.hpp"
#include "launcher/probe/agent_fleet.hpp"
#include "launcher/probe/agent_protocol.hpp"

namespace ringrun {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> shell(const std::string& words) { return {"/bin/sh", "-c", words}; }

AgentReply reply_of(const std::string& words, std::chrono::milliseconds deadline) {
  AgentFleet fleet({shell(words)});
  return fleet.exchange({"question"}, deadline)[0].value();
}

TEST(AgentFleet, TellsASilentAgentFromASilentShell) {
  const AgentReply wedged = reply_of("echo; echo RINGRUN-HELLO; exec sleep 60", 1s);
  EXPECT_EQ(wedged.end, AgentReply::End::silent);
  EXPECT_TRUE(wedged.started);
  EXPECT_EQ(wedged.words, "") << "its first line is no chatter";
  EXPECT_FALSE(reply_of("exec sleep 60", 100ms).started);
  const AgentReply good = reply_of("echo RINGRUN-HELLO; echo 'RINGRUN-AGENT {}'; read line", 5s);
  EXPECT_EQ(good.end, AgentReply::End::answered);
  EXPECT_TRUE(good.started);
}

TEST(AgentFleet, LeavesNoZombies) {
  {
    AgentFleet fleet({shell("exec sleep 60"), shell("exec sleep 60"), shell("cat")});
    fleet.exchange({"question", std::nullopt, "question"}, 50ms);
    fleet.replace(0, shell("exec sleep 60"));
    fleet.exchange({"question", std::nullopt, std::nullopt}, 50ms);
    fleet.replace(2, shell("exec sleep 60"));
  }
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ConnectDeadline, GrowsWithWhatIsToBeTried) {
  ConnectRequest request;
  request.targets.push_back({1, {"192.168.1.6", {1, 2, 3}}});
  const auto few = connect_deadline(request);
  EXPECT_GT(few, connect_patience(request)) << "the agent's answer has to arrive";
  EXPECT_GT(connect_patience(request), std::chrono::milliseconds(request.deadline_ms + 1200));
  EXPECT_LT(few, 10s);
  request.targets.resize(1000, request.targets[0]);
  EXPECT_GE(connect_patience(request), 6 * std::chrono::milliseconds(request.deadline_ms))
      << "3000 sockets, 512 at once";
}

TEST(AddressLookup, ThatHangsHoldsNobodyUp) {
  std::vector<std::string> names(300, "dead");
  names[0] = "quick";
  const auto lookup = [](const std::string& name) -> std::vector<std::string> {
    if (name == "quick") return {"192.168.1.6"};
    std::this_thread::sleep_for(3s);
    return {"192.168.1.7"};
  };
  const auto begin = std::chrono::steady_clock::now();
  const auto found = look_up(names, lookup, 500ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2500ms);
  EXPECT_THAT(found[0], ElementsAre("192.168.1.6"));
  EXPECT_THAT(found[1], IsEmpty());
  EXPECT_THAT(look_up({}, lookup, 1s), IsEmpty());
}

TEST(AddressLookup, OfAddressesAndOfTheHostsFileAsksNobody) {
  EXPECT_THAT(read_numeric("192.168.1.6"), ElementsAre("192.168.1.6"));
  EXPECT_THAT(read_numeric("::1"), ElementsAre("::1"));
  EXPECT_THAT(read_numeric("b"), IsEmpty());
  const std::string path = testing::TempDir() + "ringrun-hosts-" + std::to_string(getpid());
  std::ofstream(path) << "# 10.0.0.9 b\n127.0.0.1 localhost\n192.168.1.6\tb.lan B # the second\n10.0.0.6 b\nx b\n";
  EXPECT_THAT(read_hosts_file(path, "b"), ElementsAre("192.168.1.6", "10.0.0.6"));
  EXPECT_THAT(read_hosts_file(path, "second"), IsEmpty());
  EXPECT_THAT(read_hosts_file(path + ".none", "b"), IsEmpty());
  unlink(path.c_str());
}

}  // namespace
}  // namespace ringrun
