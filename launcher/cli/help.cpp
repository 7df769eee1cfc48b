#include "launcher/cli/help.hpp"

#include <algorithm>
#include <ostream>

#include "launcher/cli/option_table.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

/// Two forms that differ in a dash are one to the eye.
std::string spelling_text(const OptionRow& row) {
  std::vector<std::string> shown;
  for (const std::string& spelling : row.spellings) {
    const bool long_form = spelling.rfind("--", 0) == 0;
    const std::string other = long_form ? spelling.substr(1) : "-" + spelling;
    if (std::find(shown.begin(), shown.end(), other) == shown.end()) shown.push_back(spelling);
  }
  return join_text(shown, ", ");
}

constexpr std::size_t kWidth = 34;

}  // namespace

std::string topic_title(Topic topic) {
  switch (topic) {
    case Topic::ranks:
      return "Ranks, hosts and program";
    case Topic::mapping:
      return "Where ranks run";
    case Topic::environment:
      return "What ranks get";
    case Topic::output:
      return "What is shown";
    case Topic::running:
      return "How the job runs";
    case Topic::ringrun:
      return "ringrun's own";
    case Topic::engine:
      return "The engine's";
  }
  return "";
}

void print_help(std::ostream& out) {
  out << "usage: ringrun [options] [program [arguments]] [: [options] program [arguments]]...\n\n"
         "Starts one rank of the program per GPU of every host, bound next to it; without a program, the all-reduce\n"
         "sweep. On hosts without GPUs, and called by the name mpirun, what is unsaid is as with mpirun. Options of\n"
         "the program stand behind its name. Long options may be written with one dash or with two.\n";
  const OptionRow* before = nullptr;
  for (const OptionRow& row : option_table()) {
    if (before == nullptr || before->topic != row.topic) out << "\n" << topic_title(row.topic) << ":\n";
    before = &row;
    std::string left = "  " + spelling_text(row);
    if (row.arity > 0) left += ' ' + row.values;
    if (left.size() + 2 > kWidth) {
      out << left << "\n" << std::string(kWidth, ' ');
    } else {
      out << left << std::string(kWidth - left.size(), ' ');
    }
    out << row.help << '\n';
  }
  out << "\nExit code: the job's own (128 + signal where a rank was killed); 2 a bad request, 3 a host or the network, "
         "or a\nhang, 124 a timeout, 126 and 127 a program that cannot be started.\n";
}

}  // namespace ringrun
