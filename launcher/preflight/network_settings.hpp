#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/explain/situation.hpp"

namespace ringrun {

/// What the job is given so that NCCL, Gloo, UCX and Open MPI use the network that was found to work. Where the user
/// set one of them, anywhere, it is not among these.
struct NetworkSettings {
  /// For each host of the situation: variables of its ranks.
  std::vector<std::map<std::string, std::string>> environment;
  /// MCA parameters, under Open MPI 4's names.
  std::vector<std::pair<std::string, std::string>> parameters;
  /// Where the ranks meet; "" where the network says nothing about it.
  std::string master_address;
  /// "a uses eth0 192.168.1.5", one a host.
  std::vector<std::string> lines;
  /// Where --port-range says so, those of the parameters on which the engine's daemons listen.
  std::optional<PortRange> daemon_ports = {};
};

/// Where the network was not looked at, and for a job on one host, ranks with GPUs are only told to let NCCL say its
/// warnings. Pure. Throws UserError where the user's ports are too few for a host's ranks.
NetworkSettings network_settings(const Situation& situation);

}  // namespace ringrun
