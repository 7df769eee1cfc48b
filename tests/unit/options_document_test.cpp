#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "launcher/cli/help.hpp"
#include "launcher/cli/option_table.hpp"
#include "launcher/cli/parse.hpp"
#include "launcher/engine/engine_command.hpp"
#include "lib/error.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

using Words = std::vector<std::string>;

/// The command of a job on one host for what `request` says to the engine.
EngineCommand command_for(EngineKind kind, const LaunchRequest& launch) {
  EngineRequest request;
  request.ringrun = "ringrun";
  request.engine.kind = kind;
  request.hosts.resize(1);
  request.slots = request.ranks = {1};
  request.host_of_rank = {0};
  request.size = 1;
  request.options = launch.engine_options;
  request.parameters = launch.parameters;
  request.parameter_options = launch.parameter_options;
  request.prefix = launch.prefix;
  request.allow_run_as_root = launch.allow_run_as_root;
  request.program = {"x"};
  return engine_command(request, {});
}

/// What the engine is told more because of the option.
std::string told(EngineKind kind, const OptionRow& row) {
  try {
    Words typed{row.spellings[0]};
    typed.insert(typed.end(), row.example.begin(), row.example.end());
    typed.push_back("x");
    const EngineCommand with = command_for(kind, parse_command_line(typed));
    const EngineCommand without = command_for(kind, {});
    // Options stand in one place, between the same words before and behind.
    const auto first =
        std::mismatch(with.argv.begin(), with.argv.end(), without.argv.begin(), without.argv.end()).first;
    const auto kept = std::mismatch(with.argv.rbegin(), std::make_reverse_iterator(first), without.argv.rbegin()).first;
    Words more(first, kept.base());
    for (const auto& [name, value] : with.set) {
      if (without.set.count(name) == 0) more.push_back(name + "=" + value);
    }
    return more.empty() ? "ringrun" : "`" + join_text(more, " ") + "`";
  } catch (const UserError&) {
    return "refused";
  }
}

std::string in_a_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

std::string page() {
  std::ostringstream out;
  out << "# Options\n\n"
         "ringrun takes mpirun's command line, in the words of Open MPI 4.1 and of Open MPI 5. Long options may be\n"
         "written with one dash or with two, and as `--name=value`. What stands behind the program's name is the\n"
         "program's; `:` begins another program, whose `-np`, `-H`, `-hostfile`, `-x`, `-wdir`, `--path`, `--mca`\n"
         "and `--preload-…` are its own, while all else is the whole job's.\n\n"
         "The columns of the engines show what the engine is told for the example: **ringrun** where it is told\n"
         "nothing, since ringrun does it, **refused** where the launch ends with exit code 2, the option's name and "
         "what\n"
         "to do instead. This page is printed from the table of options (`launcher/cli`); a test keeps the two "
         "alike.\n";
  const OptionRow* before = nullptr;
  for (const OptionRow& row : option_table()) {
    if (before == nullptr || before->topic != row.topic) {
      out << "\n## " << topic_title(row.topic)
          << "\n\n| option | example | Open MPI 4.1 | Open MPI 5 | Slurm's srun | what it is |\n"
             "| --- | --- | --- | --- | --- | --- |\n";
    }
    before = &row;
    Words spellings;
    for (const std::string& spelling : row.spellings) spellings.push_back("`" + spelling + "`");
    const std::string example = join_text(row.example, " ");
    out << "| " << join_text(spellings, " ") << (row.arity > 0 ? " " + row.values : "") << " | "
        << (example.empty() ? "" : "`" + example + "`");
    for (const EngineKind kind : {EngineKind::openmpi4, EngineKind::openmpi5, EngineKind::slurm}) {
      // Its file is read where it is said.
      out << " | " << (row.spellings[0] == "--app" ? "ringrun" : told(kind, row));
    }
    out << " | " << in_a_cell(row.help) << " |\n";
  }
  return out.str();
}

TEST(OptionsDocument, IsThatOfTheTable) {
  const std::string path = std::string(RINGRUN_SOURCE_DIR) + "/docs/options.md";
  const std::string printed = page();
  if (std::getenv("UPDATE_GOLDEN") != nullptr) std::ofstream(path) << printed;
  std::ifstream in(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), printed) << "renew it with UPDATE_GOLDEN=1";
}

TEST(Help, HasEverySpellingOfEveryOption) {
  std::ostringstream out;
  print_help(out);
  for (const OptionRow& row : option_table()) {
    for (const std::string& spelling : row.spellings) {
      const std::string other = spelling.rfind("--", 0) == 0 ? spelling.substr(1) : "-" + spelling;
      const bool shown = out.str().find(spelling) != std::string::npos || out.str().find(other) != std::string::npos;
      EXPECT_TRUE(shown) << spelling;
    }
  }
}

TEST(Help, FitsTheScreen) {
  std::ostringstream out;
  print_help(out);
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 125u) << line;
}

}  // namespace
}  // namespace ringrun
