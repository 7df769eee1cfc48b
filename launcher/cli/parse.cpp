#include "launcher/cli/parse.hpp"

#include <algorithm>
#include <ostream>

#include "launcher/cli/normalise.hpp"
#include "launcher/cli/option_table.hpp"

namespace ringrun {

LaunchRequest parse_command_line(const std::vector<std::string>& words) {
  const NormalisedLine line = normalise(words);
  LaunchRequest request;
  for (const OptionUse& use : line.options) use.row->apply(request, use.values);
  request.program = line.program;
  return request;
}

void print_help(std::ostream& out) {
  out << "usage: ringrun [options] [program [arguments]]\n\n"
         "Starts one rank of the program per GPU of every host, bound next to it; without a program, the all-reduce\n"
         "sweep. Options of the program stand behind its name.\n\n";
  std::vector<std::string> left;
  std::size_t width = 0;
  for (const OptionRow& row : option_table()) {
    std::string text = "  ";
    for (const std::string& spelling : row.spellings) text += (text.size() > 2 ? ", " : "") + spelling;
    if (row.arity > 0) text += ' ' + row.values;
    width = std::max(width, text.size());
    left.push_back(std::move(text));
  }
  for (std::size_t i = 0; i < left.size(); ++i) {
    out << left[i] << std::string(width + 2 - left[i].size(), ' ') << option_table()[i].help << '\n';
  }
  out << "\nExit code: the job's own (128 + signal where a rank was killed); 2 a bad request, 3 a host or the "
         "network,\n"
         "126 and 127 a program that cannot be started.\n";
}

}  // namespace ringrun
