#pragma once

#include <string>
#include <vector>

#include "lib/explain/finding.hpp"
#include "lib/explain/situation.hpp"
#include "lib/host/host_facts.hpp"
#include "lib/net/network_choice.hpp"

namespace ringrun::worker {

/// A host of the job as the choice sees it.
struct JobHost {
  /// Of this host, the interfaces, name and configuration; all others only where a fault is looked for.
  HostFacts facts;
  /// By which the launcher reaches it, "" where that is unknown.
  std::string named_address;
  int ranks = 1;
};

/// Candidates that are tried first: those that lead outside, or carry the named address. The others are tried only
/// where these do not do, since trying a dead end costs the whole deadline.
std::vector<Interface> likely_interfaces(const JobHost& host);

/// The value of NCCL_SOCKET_IFNAME that this host already has, from its environment or one of NCCL's files, with its
/// origin: "NCCL_SOCKET_IFNAME=^docker", "NCCL_SOCKET_IFNAME=^docker of /etc/nccl.conf". Empty: none.
std::string own_setting(const ConfigurationFacts& configuration);

/// "=eth0,eth1": exactly these, so that no other name that begins with one of them is taken.
std::string socket_ifname(const HostNetwork& network);

/// True where the findings of all rules are wanted: some host has no network that serves it, or a setting of its own
/// that may be wrong, or large packets are lost on the way.
bool needs_explanation(const std::vector<JobHost>& hosts, const ReachMatrix& matrix, const NetworkChoice& choice);

/// What is wrong with the network between these hosts, for NCCL. Of the catalogue's rows, those that a running job can
/// still meet: WSL2, containers, interfaces, firewalls and MTU.
Findings network_faults(const std::vector<JobHost>& hosts, const ReachMatrix& matrix, const NetworkChoice& choice);

/// What is wrong with this host's own network, where nothing is known of the others.
Findings own_network_faults(const HostFacts& facts);

/// One line a host: "Network: a uses eth0 192.168.1.5 for NCCL".
std::vector<std::string> describe(const std::vector<JobHost>& hosts, const NetworkChoice& choice);

/// As print() of the findings has them, each line that begins a finding with "worker: " before it.
std::string text_of(const Findings& findings);

}  // namespace ringrun::worker
