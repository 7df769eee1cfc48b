#include "launcher/run/output_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ringrun {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kFatal =
    "b:71:88 [0] misc/socket.cc:50 NCCL WARN socketStartConnect: connect to 172.17.0.1<41234> failed : Network is "
    "unreachable\n";
constexpr const char* kOtherFatal = "ncclInit: Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 1000\n";
constexpr const char* kEcho = "NCCL WARN Connection closed by remote peer b<5000>\n";
constexpr const char* kHarmless = "[a][[1,1],0][btl_tcp_endpoint.c:626] connect() to 172.17.0.1 failed: timed out\n";

const OutputWatch::TimePoint kStart{std::chrono::hours(1)};

/// Asks as often as it wants to be asked, until it says that the job hangs: the time of that, or nothing till `end`.
std::optional<milliseconds> asked_until(OutputWatch& watch, milliseconds from, milliseconds end, bool held_up = false) {
  for (milliseconds at = from; at <= end; at += OutputWatch::kInterval) {
    if (watch.hangs(kStart + at, held_up)) return at;
  }
  return std::nullopt;
}

TEST(OutputWatch, SaysWhatAFatalLineMeansOnceWhicheverStreamItCameOn) {
  OutputWatch watch(seconds(10));
  EXPECT_THAT(watch.read_out("epoch 1\n", kStart), IsEmpty());
  EXPECT_FALSE(watch.armed());
  const Findings first = watch.read_out(kFatal, kStart);
  ASSERT_THAT(first, SizeIs(1));
  EXPECT_THAT(first[0].evidence, HasSubstr("172.17.0.1"));
  EXPECT_TRUE(watch.armed());
  EXPECT_EQ(watch.fatal_ids(), first[0].id);
  EXPECT_THAT(watch.read_err(kFatal, kStart), IsEmpty());
  EXPECT_THAT(watch.read_err(kOtherFatal, kStart), SizeIs(1));
  EXPECT_THAT(watch.fatal_ids(), HasSubstr(first[0].id + ", "));
}

TEST(OutputWatch, KnowsALineInPiecesAndBehindARanksTag) {
  OutputWatch watch(seconds(10));
  const std::string line = std::string("[1,0]<stdout>:") + kFatal;
  EXPECT_THAT(watch.read_out(line.substr(0, 60), kStart), IsEmpty());
  // Of the other stream: it is no part of that line.
  EXPECT_THAT(watch.read_err("warning\n", kStart), IsEmpty());
  EXPECT_THAT(watch.read_out(line.substr(60), kStart), SizeIs(1));
}

TEST(OutputWatch, SilenceBehindAFatalLineIsAHangOnce) {
  OutputWatch watch(seconds(3));
  watch.read_out(kFatal, kStart);
  EXPECT_EQ(asked_until(watch, milliseconds(0), seconds(10)), seconds(3));
  EXPECT_EQ(asked_until(watch, seconds(10), seconds(20)), std::nullopt);
}

TEST(OutputWatch, SilenceAloneIsNone) {
  OutputWatch watch(seconds(3));
  watch.read_out("epoch 1\n", kStart);
  watch.read_err(kEcho, kStart);
  EXPECT_EQ(asked_until(watch, milliseconds(0), seconds(100)), std::nullopt);
}

TEST(OutputWatch, WhatFollowsAFatalLineAtOnceOnlyBeginsTheSilenceAnew) {
  OutputWatch watch(seconds(3));
  watch.read_out(kFatal, kStart);
  watch.read_out("NCCL INFO misc/socket.cc:58 -> 2\n", kStart + seconds(1));
  watch.read_err(kEcho, kStart + seconds(2));
  EXPECT_EQ(asked_until(watch, seconds(2), seconds(30)), seconds(5));
}

TEST(OutputWatch, OrdinaryOutputLaterShowsThatTheJobGoesOnUntilTheNextFatalLine) {
  OutputWatch watch(seconds(3));
  watch.read_out(kFatal, kStart);
  EXPECT_EQ(asked_until(watch, milliseconds(0), milliseconds(2500)), std::nullopt);
  watch.read_out("epoch 2\n", kStart + milliseconds(2500));
  EXPECT_EQ(asked_until(watch, milliseconds(2500), seconds(100)), std::nullopt);
  EXPECT_THAT(watch.read_err(kFatal, kStart + seconds(100)), IsEmpty()) << "it was shown already";
  EXPECT_EQ(asked_until(watch, seconds(100), seconds(110)), seconds(103));
}

TEST(OutputWatch, OutputThatNobodyTakesIsNoSilence) {
  OutputWatch watch(seconds(3));
  watch.read_out(kFatal, kStart);
  EXPECT_EQ(asked_until(watch, milliseconds(0), seconds(20), true), std::nullopt);
  EXPECT_EQ(asked_until(watch, seconds(20), seconds(30)), seconds(23));
}

TEST(OutputWatch, TimeInWhichRingrunWasStoppedDoesNotCount) {
  OutputWatch watch(seconds(3));
  watch.read_out(kFatal, kStart);
  EXPECT_EQ(asked_until(watch, milliseconds(0), seconds(1)), std::nullopt);
  EXPECT_EQ(asked_until(watch, seconds(60), seconds(70)), seconds(63));
}

TEST(OutputWatch, ExplainsAtTheEndWhatItHasNotSaidYet) {
  OutputWatch watch(seconds(10));
  const Findings at_once = watch.read_err(kFatal, kStart);
  EXPECT_THAT(watch.read_err(kHarmless, kStart), IsEmpty());
  ASSERT_THAT(at_once, SizeIs(1));
  const Findings rest = watch.explanation();
  ASSERT_THAT(rest, SizeIs(1));
  EXPECT_EQ(rest[0].id, explain_line(kHarmless)->finding.id);
  EXPECT_NE(rest[0].id, at_once[0].id);
}

TEST(OutputWatch, AnEchoIsAnExplanationOnlyWhereNothingElseIsKnown) {
  OutputWatch watch(seconds(10));
  watch.read_err(kEcho, kStart);
  EXPECT_THAT(watch.explanation(), SizeIs(1));
  watch.read_out(kHarmless, kStart);
  const Findings better = watch.explanation();
  ASSERT_THAT(better, SizeIs(1));
  EXPECT_EQ(better[0].id, explain_line(kHarmless)->finding.id);
}

}  // namespace
}  // namespace ringrun
