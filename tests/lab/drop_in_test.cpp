// ringrun in mpirun's place: every command line of tests/lab/drop_in/lines by both, and the ranks find the same.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <sstream>

#include "tests/lab/drop_in_line.hpp"
#include "tests/lab/lab_fixture.hpp"

namespace ringrun::test {
namespace {

const std::string folder = RINGRUN_SOURCE_DIR "/tests/lab/drop_in";
const std::string login_path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

struct Ending {
  int exit_code;
  std::vector<std::string> lines;  ///< of standard output, sorted: the ranks come in any order
  std::string err;
  bool operator==(const Ending& other) const { return exit_code == other.exit_code && lines == other.lines; }
};

void PrintTo(const Ending& ending, std::ostream* stream) {
  *stream << "exit code " << ending.exit_code << "\n";
  for (const auto& line : ending.lines) *stream << "    " << line << "\n";
  *stream << "  and said\n" << ending.err;
}

class LabDropIn : public Lab, public testing::WithParamInterface<DropInLine> {
 protected:
  static void SetUpTestSuite() {}
  void SetUp() override {
    bring_up_with_open_mpi(GetParam().engine, 4);
    Lab::SetUp();
    if (lab) write_stand_in();
  }

  /// Under its own name, for command lines that say mpirun; what it starts finds the engine's.
  static void write_stand_in() {
    shared_file("mpirun",
                "#!/bin/sh\nPATH=$(echo \"$PATH\" | sed s,/run/lab:,,) exec " + built_program("ringrun") + " \"$@\"\n");
    std::filesystem::permissions(lab->folder() + "/mpirun", std::filesystem::perms::owner_all);
  }

  // For each of many short commands, asking four hosts for their processes would cost as much as the command.
  void TearDown() override {}
  static void TearDownTestSuite() {
    if (lab) expect_no_process_left();
    Lab::TearDownTestSuite();
  }

  /// The command line by a shell on the row's host, with the programs in `first` before all others.
  static Ending run(const std::string& command, const std::string& first, std::chrono::seconds timeout) {
    std::vector<std::string> words{"env",
                                   "--unset=OMPI_MCA_hwloc_base_binding_policy",
                                   "--unset=PRTE_MCA_hwloc_default_binding_policy",
                                   "--chdir=" + folder,
                                   "PATH=" + first + login_path,
                                   "sh",
                                   "-c",
                                   command};
    const auto result = on(GetParam().host, words, timeout);
    Ending ending{result.exit_code, {}, result.err};
    std::istringstream text(result.out);
    for (std::string line; std::getline(text, line);) ending.lines.push_back(line);
    std::sort(ending.lines.begin(), ending.lines.end());
    return ending;
  }
  /// prterun 5.0.7 sometimes never ends once its ranks have, which says nothing of ringrun.
  static Ending by_mpirun(const std::string& command) {
    constexpr int kTimedOut = 124;
    Ending ending{kTimedOut, {}, ""};
    for (int i = 0; i < 3 && ending.exit_code == kTimedOut; ++i) ending = run(command, "", std::chrono::seconds(20));
    return ending;
  }
  static Ending by_ringrun() {
    const bool masquerade = GetParam().called == "mpirun";
    return run(GetParam().command, masquerade ? RINGRUN_BIN_DIR "/masquerade:" : "/run/lab:", std::chrono::seconds(60));
  }
};

TEST_P(LabDropIn, FindsTheSame) {
  const auto& difference = GetParam().difference;
  const bool like = difference && difference->kind == DropInDifference::Kind::like;
  auto plain = std::async(std::launch::async, by_mpirun, like ? "mpirun " + difference->words : GetParam().command);
  const Ending ours = by_ringrun();
  const Ending theirs = plain.get();
  if (!difference || like) {
    EXPECT_EQ(ours, theirs);
    return;
  }
  SCOPED_TRACE("by design: " + difference->reason);
  EXPECT_EQ(ours.exit_code, difference->exit_code) << testing::PrintToString(ours);
  EXPECT_NE(theirs.exit_code, 0);
  EXPECT_NE(theirs.exit_code, difference->exit_code);
}

std::string name_of(const testing::TestParamInfo<DropInLine>& row) { return row.param.test_name(); }

INSTANTIATE_TEST_SUITE_P(OpenMpi4, LabDropIn, testing::ValuesIn(read_drop_in_lines(folder + "/lines", 4)), name_of);
INSTANTIATE_TEST_SUITE_P(OpenMpi5, LabDropIn, testing::ValuesIn(read_drop_in_lines(folder + "/lines", 5)), name_of);

}  // namespace
}  // namespace ringrun::test
