#pragma once

#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"

namespace ringrun {

/// `words` without the program's own name; reads the file of --app. Throws UserError.
LaunchRequest parse_command_line(const std::vector<std::string>& words);

}  // namespace ringrun
