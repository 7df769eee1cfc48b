#pragma once

#include "launcher/engine/exports.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/probe/probe.hpp"
#include "lib/net/probe_endpoint.hpp"
#include "lib/placement/job_plan.hpp"

namespace ringrun {

/// What the user says of the rendezvous, in order of precedence: -x, --master-port, then (the first host's own)
/// env. in the hostfile, then the environment.
struct Said {
  const Exports& exports;
  std::optional<int> master_port;
  const Environment& environment;
};

/// Where the ranks meet: an address of rank 0's host, and a port there. What the user says comes first, then
/// `reached_address`, the one that the other hosts are known to reach ("" for none). Throws UserError for a port that
/// is none, HostError where the host has no address that others can reach.
Rendezvous choose_rendezvous(const Host& host, const HostAnswer& answer, bool single_host,
                             const std::string& reached_address, const Said& said);

/// Another port than `before` for a job that starts again, since a socket of the first start may linger; the user's own
/// stays. `local`: the first host is this one, where a port can be tried.
int fresh_port(int before, bool said, bool local, const std::optional<PortRange>& allowed);

/// The port that the user says, 0 for none. Throws UserError.
int said_master_port(const Host& first, const Said& said);

}  // namespace ringrun
