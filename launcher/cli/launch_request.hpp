#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringrun {

/// The command line, word for word: nothing in it is looked up yet.
struct LaunchRequest {
  bool help = false;
  bool version = false;
  bool verbose = false;
  bool dry_run = false;
  bool oversubscribe = false;
  bool allow_run_as_root = false;
  std::optional<int> ranks;
  std::optional<std::string> hostfile;
  /// The values of -H, in order.
  std::vector<std::string> host_lists;
  /// The values of -x, in order: "V", "V=value", "V*".
  std::vector<std::string> exports;
  /// Name and value of each --mca, in order.
  std::vector<std::pair<std::string, std::string>> parameters;
  std::optional<std::string> bind_to;
  std::optional<std::string> working_directory;
  std::optional<std::string> prefix;
  std::optional<int> master_port;
  /// Seconds.
  int start_timeout = 30;
  /// The program and its arguments; empty: the worker is meant.
  std::vector<std::string> program;
};

}  // namespace ringrun
