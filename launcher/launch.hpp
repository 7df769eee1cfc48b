#pragma once

#include "launcher/cli/launch_request.hpp"
#include "launcher/launcher.hpp"

namespace ringrun {

/// One launch, or what is asked instead of it (--dry-run, --doctor), from the hosts' first answers to the exit code.
/// Throws UserError, HostError, ProgramError, SystemError.
int launch(const LaunchRequest& request, const Streams& streams);

}  // namespace ringrun
