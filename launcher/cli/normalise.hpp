#pragma once

#include <string>
#include <vector>

#include "launcher/cli/option_table.hpp"

namespace ringrun {

/// One option with the words that belong to it.
struct OptionUse {
  const OptionRow* row = nullptr;
  std::vector<std::string> values;
};

/// What stands before, between and behind ':': options, and the program: the first word that is no option, or what
/// follows `--`, with everything behind it.
struct NormalisedProgram {
  std::vector<OptionUse> options;
  std::vector<std::string> program;
};

/// A command line in mpirun's syntax, taken apart: one dash or two before a long name, `--name=value`, options that
/// take two words, and at least one program, whose words may be missing. `words` are without ringrun's own name. Throws
/// UserError for an unknown option, one whose words are missing, and a second program that is missing.
std::vector<NormalisedProgram> normalise(const std::vector<std::string>& words);

}  // namespace ringrun
