#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/explain/finding.hpp"
#include "worker/backend/mpi_team.hpp"
#include "worker/network/network_decision.hpp"
#include "worker/watch/watch.hpp"

namespace ringrun::worker {

/// What a process brings into the choice. Each is the same on every process, but the two functions, which only the
/// leader of a host calls.
struct NetworkQuestion {
  /// For each process, the process that speaks for its host.
  std::vector<int> leaders;
  /// The host's interfaces, name and configuration: what costs nothing to read.
  std::function<JobHost()> read_quick;
  /// Everything, for the explanation.
  std::function<HostFacts()> read_all;
  /// Deadline of each of the steps, seconds; 0: none.
  double timeout = 0;
};

/// What every process knows afterwards.
struct NetworkOutcome {
  /// The value of NCCL_SOCKET_IFNAME for this process, "" where its host has one already, or there is nothing to
  /// choose.
  std::string socket_ifname;
  /// For the head of the table: each host and what it uses.
  std::vector<std::string> remarks;
  /// What is wrong with the network, the same on every process. With errors NCCL would hang.
  Findings findings;
};

/// Finds by trying which interface of each host all the other hosts reach: one process a host listens and connects,
/// 1.2 s at most for what does not answer, and everybody decides alike. All processes call it. Does nothing where all
/// are on one host.
NetworkOutcome choose_over_mpi(MpiTeam& team, Watch& watch, const NetworkQuestion& question);

/// Reads this host's interfaces, name and configuration.
JobHost read_own_host();

}  // namespace ringrun::worker
