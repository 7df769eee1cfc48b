#pragma once

#include "launcher/launch_context.hpp"

namespace ringrun {

/// Hosts, variables and folders of the request's programs, and the hosts of the whole job: all but the programs' paths,
/// which are as they were typed. Throws UserError.
void read_programs(LaunchContext& context);

/// Makes the programs' paths absolute; without a program it is the sweep. Throws ProgramError.
void find_programs(LaunchContext& context);

}  // namespace ringrun
