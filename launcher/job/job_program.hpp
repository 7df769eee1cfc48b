#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/environment.hpp"
#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// A program of the job, looked up on the launching host.
struct JobProgram {
  std::optional<int> ranks;
  /// Absolute path and arguments; empty only where --doctor found none.
  std::vector<std::string> argv;
  /// Absolute.
  std::optional<std::string> working_directory;
  /// What -x gives its ranks.
  Environment exports;
  Preload preload = {};
  /// Those that its own words name; empty: the job's.
  HostList hosts;
  /// The names in the order in which the words say them, each as often as they do.
  std::vector<std::string> sequence;
};

}  // namespace ringrun
