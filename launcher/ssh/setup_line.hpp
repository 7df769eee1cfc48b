#pragma once

#include <string>

#include "launcher/launch_context.hpp"

namespace ringrun {

/// The command line by which a person has `ringrun --setup-ssh` look at the hosts of this launch, with its hostfiles,
/// -H and what it says of ssh; one a line where programs name hosts of their own. "" where another program than ssh
/// reaches them.
std::string setup_ssh_line(const LaunchContext& context);

}  // namespace ringrun
