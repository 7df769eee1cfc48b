#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/hosts/slurm_allocation.hpp"

namespace ringrun {

/// The hosts that the words of one program name.
struct ProgramHosts {
  HostList hosts;
  /// Their names in the order in which the words say them, each as often as they do.
  std::vector<std::string> sequence;
};

/// Those of its hostfile and of its -H, which must be in Slurm's allocation where there is one. Where it names none:
/// those of --default-hostfile, else the allocation's, else this one. Reads files, asks no host. Throws UserError.
ProgramHosts program_hosts(const ProgramRequest& program, const std::optional<std::string>& default_hostfile,
                           const std::optional<SlurmAllocation>& allocation);

}  // namespace ringrun
