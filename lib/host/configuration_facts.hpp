#pragma once

#include <chrono>
#include <filesystem>

#include "lib/host/host_facts.hpp"
#include "lib/host/host_file.hpp"

namespace ringrun {

/// From the variables of this process and the files under `root` in /etc, in Open MPI's folder and in the HOME that
/// `environment` names. `hostname_address` stays empty where /etc/hosts does not name the host. Never throws.
ConfigurationFacts read_configuration_facts(const Environment& environment, const std::string& hostname,
                                            const std::filesystem::path& root = "/");

/// What the resolver says of `hostname`, "" where it says nothing within `deadline`. A name server that does not answer
/// is left to itself in a thread of its own.
std::string resolved_address(const std::string& hostname, std::chrono::milliseconds deadline);

}  // namespace ringrun
