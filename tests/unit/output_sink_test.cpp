#include "launcher/run/output_sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <functional>

namespace ringrun {
namespace {

std::string sample(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
  return text;
}

class OutputSinkTest : public testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    uv_loop_init(&loop_);
  }

  void TearDown() override { uv_loop_close(&loop_); }

  void finish(OutputSink& sink) {
    sink.close();
    uv_run(&loop_, UV_RUN_DEFAULT);
  }

  /// What comes out of `fd` while the loop runs, until the sink keeps nothing.
  std::string received(OutputSink& sink, int fd) {
    fcntl(fd, F_SETFL, O_NONBLOCK);
    std::string all;
    char block[65536];
    for (bool more = true; more;) {
      more = sink.kept() > 0;
      uv_run(&loop_, UV_RUN_NOWAIT);
      for (ssize_t count = 0; (count = read(fd, block, sizeof block)) > 0;)
        all.append(block, static_cast<size_t>(count));
    }
    return all;
  }

  uv_loop_t loop_{};
  int changes_ = 0;
  std::function<void()> changed_ = [this] { ++changes_; };
};

TEST_F(OutputSinkTest, AReaderThatDoesNotReadHoldsNobodyUpAndGetsAllLater) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  OutputSink sink(loop_, ends[1], changed_);
  const std::string text = sample(1 << 20);
  sink.write(text.substr(0, 300000));
  sink.write(text.substr(300000));
  EXPECT_GT(sink.kept(), 0u);
  EXPECT_EQ(received(sink, ends[0]), text);
  EXPECT_EQ(changes_, 1);
  // Whoever shares the descriptor still waits when it writes.
  EXPECT_EQ(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
  finish(sink);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(OutputSinkTest, ASocketIsAsPatient) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  OutputSink sink(loop_, ends[1], changed_);
  const std::string text = sample(1 << 20);
  sink.write(text);
  EXPECT_GT(sink.kept(), 0u);
  EXPECT_EQ(received(sink, ends[0]), text);
  EXPECT_EQ(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
  finish(sink);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(OutputSinkTest, AFileGetsAllAtOnce) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  OutputSink sink(loop_, fileno(file), changed_);
  const std::string text = sample(1 << 20);
  sink.write(text);
  EXPECT_EQ(sink.kept(), 0u);
  EXPECT_EQ(lseek(fileno(file), 0, SEEK_END), 1 << 20);
  finish(sink);
  std::fclose(file);
}

TEST_F(OutputSinkTest, KnowsWhenItsReaderHasGoneAlsoWhileItWaits) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  OutputSink sink(loop_, ends[1], changed_);
  sink.write(sample(1 << 20));
  EXPECT_EQ(sink.failure(), 0);
  close(ends[0]);
  while (changes_ == 0) uv_run(&loop_, UV_RUN_ONCE);
  EXPECT_EQ(sink.failure(), EPIPE);
  EXPECT_EQ(sink.kept(), 0u);
  finish(sink);
  close(ends[1]);
}

TEST_F(OutputSinkTest, ADeviceThatTakesNothingHoldsNobodyUp) {
  // A counter with as much in it as it takes, which says EAGAIN and is neither pipe, terminal nor socket.
  const int fd = eventfd(0, EFD_NONBLOCK);
  ASSERT_GE(fd, 0);
  OutputSink sink(loop_, fd, changed_);
  for (int i = 0; i < 3; ++i) sink.write("xxxxxxxx");
  EXPECT_EQ(sink.kept(), 8u);
  EXPECT_EQ(sink.failure(), 0);
  std::uint64_t count = 0;
  ASSERT_EQ(read(fd, &count, sizeof count), 8);
  while (changes_ == 0) uv_run(&loop_, UV_RUN_ONCE);
  EXPECT_EQ(sink.kept(), 0u);
  finish(sink);
  close(fd);
}

TEST_F(OutputSinkTest, AFullDiskIsAFailure) {
  const int fd = open("/dev/full", O_WRONLY);
  ASSERT_GE(fd, 0);
  OutputSink sink(loop_, fd, changed_);
  sink.write("x");
  EXPECT_EQ(sink.failure(), ENOSPC);
  finish(sink);
  close(fd);
}

TEST_F(OutputSinkTest, KeepsNoMoreThanItMayAndLosesOnlyTheEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  OutputSink sink(loop_, ends[1], changed_);
  const std::string text = sample(1 << 20);
  for (int i = 0; i < 40; ++i) sink.write(text);
  EXPECT_LE(sink.kept(), std::size_t{17} << 20);
  const std::string got = received(sink, ends[0]);
  EXPECT_GE(got.size(), std::size_t{16} << 20);
  for (std::size_t at = 0; at < got.size(); at += text.size()) {
    ASSERT_EQ(got.compare(at, text.size(), text, 0, std::min(text.size(), got.size() - at)), 0) << at;
  }
  finish(sink);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace ringrun
