#pragma once

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

/// So many ports a range needs for so many ranks on one host: each rank listens on one.
int ports_for(int ranks);

}  // namespace ringrun
