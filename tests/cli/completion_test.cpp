#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/cli/ringrun_fixture.hpp"

namespace ringrun::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

/// What bash offers for the last of these words.
class Completion : public Ringrun {
 protected:
  std::vector<std::string> complete(const std::string& words) {
    const std::string script = file("ringrun.bash", ringrun({"--completion", "bash"}).out);
    const std::string line = "source " + script + "; COMP_WORDS=(ringrun " + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ringrun; printf '%s\\n' \"${COMPREPLY[@]}\"";
    CommandOptions options;
    options.cwd = folder_;
    const CommandResult result = run_command({"bash", "-uc", line}, options);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    std::vector<std::string> offered;
    std::istringstream text(result.out);
    for (std::string word; std::getline(text, word);) offered.push_back(word);
    return offered;
  }
};

TEST_F(Completion, OffersOptions) {
  const auto offered = complete("--map");
  EXPECT_THAT(offered, ElementsAre("--map-by"));
  EXPECT_THAT(complete("-np 2 --"), Contains("--dry-run"));
}

TEST_F(Completion, OffersFilesAndWordsWhereAnOptionWantsThem) {
  file("hosts.ab", "a\n");
  EXPECT_THAT(complete("-hostfile hosts"), ElementsAre("hosts.ab"));
  EXPECT_THAT(complete("--engine o"), ElementsAre("openmpi"));
  EXPECT_THAT(complete("--mca btl hosts"), ElementsAre("hosts.ab")) << "a program behind two values";
}

TEST_F(Completion, LeavesTheProgramsOptionsAlone) {
  EXPECT_THAT(complete("-np 2 ./train --"), Not(Contains(StartsWith("--"))));
}

TEST_F(Completion, IsKnownForBashAlone) { EXPECT_EQ(ringrun({"--completion", "fish"}).exit_code, 2); }

}  // namespace
}  // namespace ringrun::test
