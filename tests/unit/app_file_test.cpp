#include "launcher/cli/app_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/cli/parse.hpp"
#include "tests/unit/error_text.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

TEST(AppFile, HasAProgramALine) {
  EXPECT_EQ(parse_app_file("# first\n-np 1 ./a \"b c\" 'd\"e'  # tail\r\n\n  -np 2 ./f#g ''\n", "apps"),
            (std::vector<Words>{{"-np", "1", "./a", "b c", "d\"e"}, {"-np", "2", "./f#g", ""}}));
}

TEST(AppFile, NamesTheLineOfAQuoteWithoutEnd) {
  EXPECT_EQ(problem_of([] { parse_app_file("./a\n./b 'c\n", "apps"); }), "apps:2: a quote has no end");
  EXPECT_EQ(problem_of([] { parse_app_file("# none\n", "apps"); }), "--app apps names no program");
  EXPECT_NE(problem_of([] { read_app_file("/no/such/file"); }), "");
}

/// A request by an --app file of this text.
LaunchRequest by_file(const std::string& text, Words words = {}) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("ringrun-app-" + std::to_string(getpid()));
  std::ofstream(path) << text;
  words.insert(words.begin(), {"--app", path.string()});
  try {
    LaunchRequest request = parse_command_line(words);
    std::filesystem::remove(path);
    return request;
  } catch (...) {
    std::filesystem::remove(path);
    throw;
  }
}

TEST(AppFile, GivesTheRequestItsPrograms) {
  const LaunchRequest request =
      by_file("-np 1 -H a -x B=2 ./x\n-np 2 --tag-output ./y 1 : -np 3 ./z\n", {"-H", "c,d", "-x", "A=1"});
  EXPECT_EQ(request.program, Words{"./x"});
  EXPECT_EQ(request.host_lists, Words{"a"});
  EXPECT_EQ(request.exports, (Words{"A=1", "B=2"}));
  ASSERT_EQ(request.more.size(), 2u);
  EXPECT_EQ(request.more[0].program, (Words{"./y", "1"}));
  EXPECT_EQ(request.more[0].host_lists, Words{"c,d"}) << "those of the command line where it names none";
  EXPECT_EQ(request.more[1].ranks, 3);
  EXPECT_TRUE(request.output.tag);
}

TEST(AppFile, TakesNoFurtherProgramFromTheCommandLine) {
  EXPECT_EQ(problem_of([] { by_file("./a\n", {"./b"}); }), "--app names the programs, and ./b is one more");
  EXPECT_NE(problem_of([] { by_file("./a\n", {"-np", "2"}); }), "");
  EXPECT_NE(problem_of([] { by_file("-np 2\n"); }), "");
}

}  // namespace
}  // namespace ringrun
