#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/explain/situation.hpp"

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
  /// --engine: "auto", "openmpi" or "slurm"; unset: auto.
  std::optional<std::string> engine;
  /// Seconds.
  int start_timeout = 30;
  /// Report what is wrong with hosts and network, and start nothing.
  bool doctor = false;
  bool json = false;
  /// Look at hosts and network before the launch.
  bool preflight = true;
  /// What the program talks over; unset: NCCL where every host has a GPU, else MPI.
  std::optional<Transport> transport;
  /// The ports that connections between hosts may use.
  std::optional<PortRange> ports;
  /// Host and interface of each --nic.
  std::vector<std::pair<std::string, std::string>> nics;
  /// End a job that hangs; unset: where the program is the worker.
  std::optional<bool> end_on_hang;
  /// Seconds without output behind a line that says the job cannot go on.
  int hang_timeout = 10;
  /// The program and its arguments; empty: the worker is meant.
  std::vector<std::string> program;
};

}  // namespace ringrun
