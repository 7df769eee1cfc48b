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

/// A command line in mpirun's syntax, taken apart: one dash or two before a long name, `--name=value`, options that
/// take two words, and the program: the first word that is no option, or what follows `--`, with everything behind it.
struct NormalisedLine {
  std::vector<OptionUse> options;
  std::vector<std::string> program;
};

/// `words` without the program's own name. Throws UserError for an unknown option, and one whose words are missing.
NormalisedLine normalise(const std::vector<std::string>& words);

}  // namespace ringrun
