#pragma once

#include <vector>

#include "launcher/job/rendezvous.hpp"
#include "launcher/launch_context.hpp"
#include "launcher/probe/probe.hpp"

namespace ringrun {

/// The hosts that are asked: those of the job, and this host behind them where it is none of them.
struct AskedHosts {
  HostList hosts;
  /// Where they are; the facts are still empty.
  std::vector<HostAnswer> resolved;
  bool any_remote = false;
};

/// Looks up the job's hosts. Whoever launches takes part in the job's network also where no rank runs here. A container
/// of this host's docker engine is a remote host, whose way in is marked as `here`. Without name server only what this
/// host knows by itself is looked up.
AskedHosts asked_hosts(const HostList& job_hosts, const Environment& environment, bool by_name_server);

/// What the user says of the rendezvous; refers to `context`.
Said said(const LaunchContext& context);

/// What each host is asked before a launch.
ProbeRequest host_questions(const LaunchContext& context);

}  // namespace ringrun
