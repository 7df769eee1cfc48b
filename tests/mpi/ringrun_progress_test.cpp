#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "lib/text/shell_word.hpp"
#include "tests/mpi/ringrun_job.hpp"
#include "tests/support/sweep_rows.hpp"

namespace ringrun::test {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> kSweep = {
    "-np", "2", "-H", "localhost:2", built_program("worker"), "--backend", "mpi", "-b", "8", "-e", "8M", "-f", "8"};

/// What `words` write to a terminal that is all their streams.
CommandResult in_terminal(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + quote_for_shell(word);
  CommandOptions options;
  options.env = kRoot;
  return run_command({"script", "-qec", line, "/dev/null"}, options);
}

/// What is left on the screen where a line is erased as a terminal erases it.
std::string screen(const std::string& written) {
  std::string text = std::regex_replace(written, std::regex("\r\n"), "\n");
  return std::regex_replace(text, std::regex("[^\n]*\r\x1b\\[K"), "");
}

std::vector<std::string> words_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {built_program("ringrun")};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

TEST(RingrunProgress, IsShownInATerminalAndLeavesNothingBetweenTheLines) {
  const CommandResult result = in_terminal(words_of(kSweep));
  EXPECT_EQ(result.exit_code, 0) << result.out;
  EXPECT_THAT(result.out, HasSubstr(" s left\r\x1b[K"));
  const std::string left = screen(result.out);
  EXPECT_THAT(left, Not(HasSubstr(" s left")));
  EXPECT_THAT(left, Not(HasSubstr("ringrun:")));
  EXPECT_EQ(sweep_rows(left).size(), 7U) << left;
}

TEST(RingrunProgress, IsNotShownElsewhere) {
  const CommandResult result = ringrun(kSweep);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out, Not(HasSubstr(" s left")));
}

TEST(RingrunProgress, IsNotShownWhereEachLineBeginsWithItsRank) {
  std::vector<std::string> words = words_of(kSweep);
  words.insert(words.begin() + 1, "--tag-output");
  EXPECT_THAT(in_terminal(words).out, Not(HasSubstr(" s left")));
}

}  // namespace
}  // namespace ringrun::test
