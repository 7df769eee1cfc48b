#pragma once

#include "launcher/launch_context.hpp"
#include "launcher/launcher.hpp"

namespace ringrun {

/// `ringrun --setup-ssh`: logs in to the job's hosts, and prints a line for each and what mends it. With --yes it makes
/// a key where this user has none, trusts host keys that are not known yet, with their fingerprints printed, and at a
/// terminal sends the key by ssh-copy-id. A key that is there, and a host key that changed, are never touched. Returns
/// 0 where every host lets the job in, else 3. Throws UserError, HostError.
int setup_ssh(const LaunchContext& context, const Streams& streams);

}  // namespace ringrun
