// README's commands, typed as they stand there on two hosts: what they print has the shape that README shows.
#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/lab/pytorch.hpp"
#include "tests/lab/slurm_lab.hpp"
#include "tests/support/cannot_run.hpp"

namespace ringrun::test {
namespace {

/// A command of a block under the comment "walked on a", and what stands under it.
struct Step {
  std::string command;
  std::vector<std::string> shown;
  int exit_code = 0;
};

std::vector<Step> walked_steps() {
  static const std::regex mark("<!-- walked on a(, exit code ([0-9]+))? -->");
  std::ifstream file(RINGRUN_SOURCE_DIR "/README.md");
  std::vector<Step> steps;
  bool marked = false;
  bool inside = false;
  int exit_code = 0;
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (line.rfind("```", 0) == 0) {
      inside = marked && !inside;
      marked = false;
    } else if (std::regex_match(line, match, mark)) {
      marked = true;
      exit_code = match[2].matched ? std::stoi(match[2]) : 0;
    } else if (inside && line.rfind("$ ", 0) == 0) {
      steps.push_back({line.substr(2), {}, exit_code});
    } else if (inside) {
      steps.back().shown.push_back(line);
    }
  }
  return steps;
}

/// A line without what differs from run to run: numbers, and the blanks that they move.
std::string shape(const std::string& line) {
  static const std::regex number("[0-9]+([.,][0-9]+)*");
  static const std::regex blanks(" +");
  const std::string squeezed = std::regex_replace(std::regex_replace(line, number, "9"), blanks, " ");
  return squeezed.substr(0, squeezed.find_last_not_of(' ') + 1);
}

/// Both are shapes; "…" in what is shown stands for any text.
bool is_like(const std::string& printed, const std::string& shown) {
  const auto gap = shown.find("…");
  if (gap == std::string::npos) return printed == shown;
  const std::string before = shown.substr(0, gap);
  const std::string behind = shown.substr(gap + std::string("…").size());
  return printed.size() >= before.size() + behind.size() && printed.rfind(before, 0) == 0 &&
         printed.compare(printed.size() - behind.size(), behind.size(), behind) == 0;
}

/// Each shown line was printed; ranks may print theirs in any order. A line that is "…" alone says that others stood
/// there.
void expect_shown(const Step& step, const std::string& output) {
  std::vector<std::string> printed;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) printed.push_back(shape(line));
  for (const std::string& line : step.shown) {
    if (line == "…") continue;
    const auto found = std::find_if(printed.begin(), printed.end(),
                                    [wanted = shape(line)](const auto& one) { return is_like(one, wanted); });
    if (found == printed.end()) {
      ADD_FAILURE() << "$ " << step.command << "\nprints no such line (any more):\n" << line << "\nin\n" << output;
      return;
    }
    printed.erase(found);
  }
}

/// The example's two machines: B's sshd is at port 2222, A logs in by key; and Slurm, which has seen no job yet.
class LabReadme : public SlurmLab {
 protected:
  static void TearDownTestSuite() {
    for (const char* file : {"sweep-1.out", "pytorch-2.out"})
      std::remove((std::string(RINGRUN_BIN_DIR) + "/" + file).c_str());
    SlurmLab::TearDownTestSuite();
  }
  static void wait_for_jobs() {
    const auto none_listed = [] { return on("a", {"squeue", "--noheader"}).out.empty(); };
    EXPECT_TRUE(wait_until(none_listed, std::chrono::seconds(40)));
  }
};

TEST_F(LabReadme, CommandsPrintWhatItShows) {
  if (const auto pytorch = why_no_pytorch(); !pytorch.empty()) RINGRUN_CANNOT_RUN(pytorch);
  start_sshd("b", 2222);
  const auto steps = walked_steps();
  ASSERT_GE(steps.size(), 10u) << "README.md has no blocks that are marked";
  for (const Step& step : steps) {
    const auto result = on_with_ssh("a", {"bash", "-c", "exec 2>&1\n" + step.command});
    EXPECT_EQ(result.exit_code, step.exit_code) << "$ " << step.command << "\n" << result.out;
    expect_shown(step, result.out);
    if (step.command.rfind("sbatch ", 0) == 0) wait_for_jobs();
  }
}

}  // namespace
}  // namespace ringrun::test
