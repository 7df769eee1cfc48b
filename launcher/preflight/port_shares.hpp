#pragma once

#include <functional>

#include "lib/net/probe_endpoint.hpp"

namespace ringrun {

/// Who uses which part of the ports that the user allows. They must not overlap: a daemon of Open MPI 4.1 takes every
/// port that it is offered, and ranks then wait for ever (measured).
struct PortShares {
  PortRange daemons;
  PortRange ranks;
  PortRange rendezvous;
};

/// A quarter each, at most ten ports, for daemons and rendezvous; `ports` has at least 16.
PortShares share_ports(const PortRange& ports);

/// The part of the daemons' share that this job offers them, so that jobs that run at once do not take each other's:
/// two ports that `is_usable` says can be listened on, looked for from the place that `start` (of another value in each
/// job) says. The whole share where no two are left.
PortRange daemon_ports(const PortRange& ports, const std::function<bool(int)>& is_usable, int start);

/// So many ports a range needs for so many ranks on one host: each rank listens on one.
int ports_for(int ranks);

}  // namespace ringrun
