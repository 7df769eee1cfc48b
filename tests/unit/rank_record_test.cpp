#include "launcher/run/rank_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "launcher/run/record_reader.hpp"
#include "launcher/run/shell_stage.hpp"
#include "tests/support/command.hpp"

namespace ringrun {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

EndRecord killed() {
  EndRecord record;
  record.rank = 3;
  record.host = "b";
  record.gpu = 1;
  record.pid = 4711;
  record.signal = 11;
  record.core = true;
  record.time = 123456789012;
  record.lines = {"an \x01 \"odd\" line", "Zeile mit \xc3\xa4"};
  return record;
}

struct Read {
  std::string passed;
  std::vector<Record> records;
};

Read read_in_pieces(const std::string& text, std::size_t piece) {
  RecordReader reader("run-1");
  Read read;
  for (std::size_t i = 0; i < text.size(); i += piece) read.passed += reader.feed(text.substr(i, piece), read.records);
  read.passed += reader.finish();
  return read;
}

TEST(RankRecord, IsTakenOutOfTheStreamHoweverThatIsCut) {
  const EndRecord end = killed();
  const std::string text = "a" + frame_record("run-1", StartRecord{3, 1, 5}) + "b\n\x02x\x03\x02\x02ringrunx\n" +
                           frame_record("run-1", end) + "\nc" + frame_record("run-1", ShellRecord{1, 255}) + "d" +
                           frame_record("run-1", ProgressRecord{"37 %, \"3\" s"}) + "\x02ring";
  for (const std::size_t piece : {1, 2, 7, 100, 100000}) {
    const Read read = read_in_pieces(text, piece);
    EXPECT_EQ(read.passed, "ab\n\x02x\x03\x02\x02ringrunx\n\ncd\x02ring") << piece;
    EXPECT_EQ(read.records,
              (std::vector<Record>{StartRecord{3, 1, 5}, end, ShellRecord{1, 255}, ProgressRecord{"37 %, \"3\" s"}}))
        << piece;
  }
}

TEST(RankRecord, OfAnotherJobIsDropped) {
  const Read read = read_in_pieces("a\n" + frame_record("run-2", StartRecord{0, 0, 5}) + "b\n", 10);
  EXPECT_EQ(read.passed, "a\nb\n");
  EXPECT_THAT(read.records, IsEmpty());
}

TEST(RankRecord, ThatIsTornPassesAsTheTextThatItWas) {
  const std::string torn = "\x02ringrun:run-1:{\"start\":[1,other text\n,0,5]}\x03\n";
  const std::string endless = std::string(kRecordBegin) + std::string(5000, 'x');
  for (const std::string& text : {torn, endless}) EXPECT_EQ(read_in_pieces(text, 100).passed, text);
}

TEST(RankRecord, FitsIntoOneWriteWhateverTheRankSaid) {
  EndRecord record = killed();
  record.program = std::string(3000, 'p');
  record.lines.assign(8, std::string(300, '\x01'));
  for (const std::size_t most : {kMostRecord, kMostSlurmRecord}) {
    const std::string text = frame_record("run-1", record, most);
    EXPECT_LE(text.size(), most);
    const Read read = read_in_pieces(text, 64);
    ASSERT_EQ(read.records.size(), 1u);
    EXPECT_EQ(std::get<EndRecord>(read.records[0]).signal, 11);
  }
  record.program.clear();
  record.lines = {"far away", std::string(300, 'x'), "the reason"};
  const Read read = read_in_pieces(frame_record("run-1", record, 600), 64);
  EXPECT_EQ(std::get<EndRecord>(read.records.at(0)).lines.back(), "the reason");
}

TEST(RankRecord, HoldsBackOnlyWhatMayBegin) {
  RecordReader reader("run-1");
  std::vector<Record> records;
  EXPECT_EQ(reader.feed("loss \x02ring", records), "loss ");
  EXPECT_TRUE(reader.holds_text());
  EXPECT_EQ(reader.flush(), "\x02ring");
  EXPECT_EQ(reader.feed("\x02ringrun:run-1:{", records), "");
  EXPECT_FALSE(reader.holds_text());
  EXPECT_EQ(reader.flush(), "");
  EXPECT_EQ(reader.feed("\"start\":[1,2,5]}\x03", records), "");
  EXPECT_EQ(records, std::vector<Record>{(StartRecord{1, 2, 5})});
}

TEST(RankRecord, OfARemoteShellIsWrittenByThatShell) {
  const test::CommandResult result = test::run_command({"sh", "-c", shell_greeting("run-1", 12) + " echo next >&2"});
  const Read read = read_in_pieces(result.err, 7);
  EXPECT_EQ(read.passed, "next\n");
  EXPECT_EQ(read.records, std::vector<Record>{(ShellRecord{12, std::nullopt})});
}

TEST(RankRecord, CountsLikeAShell) {
  EndRecord record;
  EXPECT_EQ(exit_code_of(record), 0);
  record.code = 7;
  EXPECT_EQ(exit_code_of(record), 7);
  record.signal = 9;
  EXPECT_EQ(exit_code_of(record), 137);
  record.error = EACCES;
  EXPECT_EQ(exit_code_of(record), 126);
  record.error = ENOENT;
  EXPECT_EQ(exit_code_of(record), 127);
}

}  // namespace
}  // namespace ringrun
