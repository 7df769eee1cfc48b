#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/cli/launch_request.hpp"

namespace ringrun {

/// One option: everything that parsing, help and error messages know of it.
struct OptionRow {
  /// As typed; the first is the name in messages.
  std::vector<std::string> spellings;
  /// Words that follow: 0, 1 or 2.
  int arity = 0;
  /// What the words stand for in the help, "N", "NAME VALUE".
  std::string values;
  std::string help;
  std::function<void(LaunchRequest&, const std::vector<std::string>&)> apply;
};

const std::vector<OptionRow>& option_table();

/// nullptr where no row has this spelling.
const OptionRow* find_option(std::string_view spelling);

/// The spelling that is one or two typing errors away, or "".
std::string nearest_spelling(std::string_view word);

}  // namespace ringrun
