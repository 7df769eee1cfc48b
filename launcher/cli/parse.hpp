#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"

namespace ringrun {

/// `words` without the program's own name. Throws UserError.
LaunchRequest parse_command_line(const std::vector<std::string>& words);

void print_help(std::ostream& out);

}  // namespace ringrun
