#pragma once

#include "launcher/engine/exports.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/probe/probe.hpp"
#include "lib/placement/job_plan.hpp"

namespace ringrun {

/// Where the ranks meet: an address of rank 0's host, and a port there. What the user says comes first: -x, then
/// --master-port, then the hostfile's env., then the environment. Throws UserError for a port that is none, HostError
/// where the host has no address that others can reach.
Rendezvous choose_rendezvous(const Host& host, const HostAnswer& answer, bool single_host, const Exports& exports,
                             std::optional<int> master_port, const Environment& environment);

}  // namespace ringrun
