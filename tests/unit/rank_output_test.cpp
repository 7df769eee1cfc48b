// What a rank's wrapper makes of the rank's streams, and what it knows of processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "launcher/run/descendants.hpp"
#include "launcher/run/last_lines.hpp"
#include "launcher/run/output_lines.hpp"
#include "lib/text/record_frame.hpp"

namespace ringrun {
namespace {

using testing::ElementsAre;

OutputStyle style(bool tag, bool timestamp) {
  OutputStyle style;
  style.tag = tag;
  style.timestamp = timestamp;
  return style;
}

// As mpirun 4.1.4 prints them.
TEST(OutputLines, BeginAsMpirunBeginsThem) {
  setenv("TZ", "UTC", 1);
  tzset();
  constexpr std::time_t kTime = 1796056599;
  EXPECT_EQ(OutputLines(style(true, false), 3, "stdout").feed("a\n\nb\n", kTime),
            "[1,3]<stdout>:a\n[1,3]<stdout>:\n[1,3]<stdout>:b\n");
  EXPECT_EQ(OutputLines(style(false, true), 3, "stderr").feed("a\n", kTime), "Mon Nov 30 16:36:39 2026<stderr>:a\n");
  EXPECT_EQ(OutputLines(style(true, true), 0, "stderr").feed("a\n", kTime),
            "Mon Nov 30 16:36:39 2026[1,0]<stderr>:a\n");
}

TEST(OutputLines, PassWholeAndALastOneWithoutAnEndStaysWithout) {
  OutputLines lines(style(true, false), 0, "stdout");
  EXPECT_EQ(lines.feed("a", 0), "");
  EXPECT_EQ(lines.feed("b\nc", 0), "[1,0]<stdout>:ab\n");
  EXPECT_TRUE(lines.holds());
  EXPECT_EQ(lines.flush(0), "[1,0]<stdout>:c");
  EXPECT_EQ(lines.feed("d\ne", 0), "d\n");
  EXPECT_EQ(lines.flush(0), "[1,0]<stdout>:e");
}

TEST(OutputLines, AreBytesWhereNothingBegins) {
  const std::string bytes("a\0\xff\nb", 5);
  EXPECT_EQ(OutputLines({}, 0, "stderr").feed(bytes, 0), bytes);
}

TEST(LastLines, AreTheLastWithWordsInThem) {
  LastLines last;
  EXPECT_TRUE(last.lines().empty());
  last.feed("one\n\n  \ntwo\r\nthr");
  last.feed("ee");
  EXPECT_THAT(last.lines(), ElementsAre("one", "two", "three"));
  for (int i = 0; i < 100000; ++i) last.feed("line " + std::to_string(i) + "\n");
  ASSERT_EQ(last.lines().size(), 8u);
  EXPECT_EQ(last.lines().front(), "line 99992");
  last.feed(std::string(1000000, 'x') + "\nend\n");
  EXPECT_THAT(last.lines(), ElementsAre("end"));
  last.feed(frame_text("run-1", "{}"));
  EXPECT_THAT(last.lines(), ElementsAre("end"));
}

TEST(Descendants, AreFoundHoweverDeep) {
  EXPECT_EQ(parse_process_entry("47 (a) b (c)) S 1 47 40 0 -1 4194560"), (ProcessEntry{47, 1, 40, false}));
  EXPECT_EQ(parse_process_entry("48 (x) Z 47 47 40 0"), (ProcessEntry{48, 47, 40, true}));
  EXPECT_EQ(parse_process_entry("nonsense").pid, 0);
  const std::vector<ProcessEntry> all = {{5, 9, 1}, {7, 1, 1}, {8, 7, 1}, {9, 8, 9}, {10, 8, 1, true}, {11, 2, 1}};
  EXPECT_THAT(descendants_of(7, all), ElementsAre(all[2], all[3], all[0]));
}

TEST(Descendants, OfThisProcessAreInTheProcessTable) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const auto found = descendants_of(getpid(), read_processes());
  kill(child, SIGKILL);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (ProcessEntry{child, getpid(), getsid(0), false}));
}

}  // namespace
}  // namespace ringrun
