#pragma once

#include <iosfwd>
#include <string>

#include "launcher/cli/option_row.hpp"

namespace ringrun {

/// Every option with its spellings, in groups.
void print_help(std::ostream& out);

/// A script for bash that completes ringrun's options, files and the words that an option knows.
void print_bash_completion(std::ostream& out);

/// The heading of a group.
std::string topic_title(Topic topic);

}  // namespace ringrun
