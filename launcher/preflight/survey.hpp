#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/engine/exports.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"
#include "launcher/probe/probe.hpp"
#include "lib/explain/situation.hpp"

namespace ringrun {

/// A host that is looked at. `ranks` is 0 where it is not known yet.
struct SurveyedHost {
  Host host;
  HostAnswer answer;
  int ranks = 0;
  /// ringrun runs there, and no ranks will.
  bool launches_only = false;
};

/// What is known besides the hosts.
struct SurveyRequest {
  const LaunchRequest& launch;
  const Exports& exports;
  const Environment& environment;
  /// Absolute path of the program; the worker's own.
  std::string program;
  /// Those behind ':'.
  std::vector<std::string> more_programs;
  bool is_worker = false;
  /// "4.1.4"
  std::string engine_version;
};

/// Lets the hosts that answered try each other (where the launch wants a look at the network), and chooses what each
/// uses. The hosts of the situation are in the order of `hosts`.
Situation survey(HostProbe& probe, const std::vector<SurveyedHost>& hosts, const SurveyRequest& request);

/// The sweep's words say --backend mpi.
bool is_told_to_use_mpi(const std::vector<std::string>& words);

/// What the program talks over between hosts: as said, else NCCL where every host that answered has a GPU for each of
/// its ranks and the program is not a worker that is told to use MPI.
Transport transport_of(const LaunchRequest& launch, const std::vector<SurveyedHost>& hosts, bool is_worker);

}  // namespace ringrun
