#include "launcher/run/capture.hpp"

#include <gtest/gtest.h>

#include <cerrno>

namespace ringrun {
namespace {

using std::chrono::milliseconds;

Captured capture(const std::string& script, const std::string& input = "",
                 milliseconds deadline = std::chrono::seconds(20)) {
  return capture_all({{{"/bin/sh", "-c", script}, input, deadline}}, 1)[0];
}

TEST(Capture, ReadsBothOutputsAndTheExitCode) {
  const Captured result = capture("read line; echo got $line; echo oops >&2; exit 5", "hello\n");
  EXPECT_EQ(result.end, Captured::End::exited);
  EXPECT_EQ(result.code, 5);
  EXPECT_EQ(result.out, "got hello\n");
  EXPECT_EQ(result.err, "oops\n");
}

TEST(Capture, TellsASignalFromAnExitCode) {
  const Captured result = capture("kill -TERM $$");
  EXPECT_EQ(result.end, Captured::End::signalled);
  EXPECT_EQ(result.code, 15);
}

TEST(Capture, KillsTheWholeGroupPastItsDeadline) {
  const auto start = std::chrono::steady_clock::now();
  const Captured result = capture("echo early; sleep 60; true", "", milliseconds(300));
  EXPECT_EQ(result.end, Captured::End::timed_out);
  EXPECT_EQ(result.out, "early\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Capture, DoesNotWaitForAChildThatKeepsTheOutputOpen) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(capture("sleep 5 & echo done").out, "done\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(4));
}

TEST(Capture, SaysThatACommandDidNotStart) {
  const Captured result = capture_all({{{"/nowhere/x"}, ""}}, 1)[0];
  EXPECT_EQ(result.end, Captured::End::not_started);
  EXPECT_EQ(result.code, ENOENT);
}

TEST(Capture, ACommandThatReadsNoInputIsNoFault) {
  EXPECT_EQ(capture("exec <&-; echo x", std::string(200000, 'y') + "\n").out, "x\n");
}

TEST(Capture, RunsManyAndKeepsTheirOrder) {
  std::vector<CaptureCommand> commands;
  for (int i = 0; i < 50; ++i) commands.push_back({{"/bin/echo", std::to_string(i)}, ""});
  const std::vector<Captured> results = capture_all(commands, 8);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(results[static_cast<std::size_t>(i)].out, std::to_string(i) + "\n");
}

}  // namespace
}  // namespace ringrun
