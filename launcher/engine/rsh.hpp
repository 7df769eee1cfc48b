#pragma once

#include <string>
#include <vector>

#include "launcher/environment.hpp"

namespace ringrun {

/// `ringrun __rsh HOST …`: the engine's remote-shell agent. Runs the real remote shell with the host's user, port and
/// identity; returns its code. Throws UserError, SystemError.
int run_rsh(const std::vector<std::string>& words, const Environment& environment);

}  // namespace ringrun
