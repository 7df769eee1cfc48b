#pragma once

#include <string>
#include <vector>

#include "launcher/launch_context.hpp"
#include "launcher/probe/probe.hpp"

namespace ringrun {

/// For hosts that nobody asks: each is one of its own, and has the program and the folder.
void assume_ready(const HostList& hosts, std::vector<HostAnswer>& answers);

/// The machine of lstopo's XML file with all its GPUs. Throws UserError.
HostFacts absent_machine(const std::string& file);

/// As if each host were such a machine, with the GPUs that CUDA would show the ranks of each program there.
std::vector<HostAnswer> absent_answers(const HostList& hosts, const HostFacts& facts,
                                       const std::vector<JobProgram>& programs);

/// Throws UserError for a --nic that names a host which the job does not have. Returns warnings of interfaces that the
/// machine does not show.
std::vector<std::string> check_interfaces(const LaunchContext& context, const Machine& machine);

/// Where the words name no host, the one that the job has is called as the file is.
void name_hosts_after_machine(LaunchContext& context, const std::string& file);

}  // namespace ringrun
