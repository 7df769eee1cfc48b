#pragma once

#include <string>
#include <string_view>

#include "launcher/cli/option_row.hpp"

namespace ringrun {

/// Every option of the command line, by topic.
const OptionRows& option_table();

/// nullptr where no row has this spelling.
const OptionRow* find_option(std::string_view spelling);

/// The spelling that is one or two typing errors away, or "".
std::string nearest_spelling(std::string_view word);

}  // namespace ringrun
