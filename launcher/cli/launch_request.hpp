#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/engine/engine_options.hpp"
#include "lib/explain/situation.hpp"
#include "lib/placement/job_plan.hpp"

namespace ringrun {

/// What of this host is copied to the job's others.
struct Preload {
  /// Every host runs this host's program.
  bool program = false;
  /// And finds its libraries.
  bool libraries = false;
  /// Files for the ranks' working directory.
  std::vector<std::string> files;
};

/// What a command line says of one program.
struct ProgramRequest {
  std::optional<int> ranks;
  std::optional<std::string> hostfile;
  /// The values of -H, in order.
  std::vector<std::string> host_lists;
  /// The values of -x, in order: "V", "V=value", "V*".
  std::vector<std::string> exports;
  std::optional<std::string> working_directory;
  /// Folders that are searched before PATH, with colons between them.
  std::optional<std::string> path;
  Preload preload;
  /// The program and its arguments; empty: the worker is meant.
  std::vector<std::string> program;

  bool names_hosts() const { return hostfile.has_value() || !host_lists.empty(); }
};

/// The command line, word for word: nothing in it is looked up yet. What it says of the first program stands in the
/// request itself.
struct LaunchRequest : ProgramRequest {
  /// The programs behind the first: those behind ':', or the further lines of --app.
  std::vector<ProgramRequest> more;
  /// --app: where the programs stand instead.
  std::optional<std::string> app_file;

  /// Called by mpirun's name: what is unsaid is the engine's to choose.
  bool masquerade = false;
  bool help = false;
  bool version = false;
  /// Print the completion script for this shell.
  std::optional<std::string> completion;
  bool verbose = false;
  bool quiet = false;
  bool dry_run = false;
  /// Ask no host; with --dry-run alone.
  bool offline = false;
  /// With --dry-run: the file of a machine that is not here.
  std::optional<std::string> topology;
  bool allow_run_as_root = false;
  /// Where no program names hosts.
  std::optional<std::string> default_hostfile;
  /// Name and value of each --mca, in order.
  std::vector<std::pair<std::string, std::string>> parameters;
  /// Names among these that were given by --prtemca, --pmixmca or --omca, and by which.
  std::map<std::string, std::string> parameter_options;
  EngineOptions engine_options;
  std::optional<std::string> prefix;
  OutputStyle output;
  /// Print where ranks run, or what the hosts have, before the job starts.
  bool display_map = false;
  bool display_allocation = false;
  std::optional<int> master_port;
  /// --engine: "auto", "openmpi" or "slurm"; unset: auto.
  std::optional<std::string> engine;
  /// Seconds.
  int start_timeout = 30;
  /// Seconds that the job may take.
  std::optional<int> timeout;
  int max_restarts = 0;
  /// "-" and "+" are standard output and error, anything else is a file.
  std::optional<std::string> report_pid;
  /// Report what is wrong with hosts and network, and start nothing.
  bool doctor = false;
  bool json = false;
  /// Log in to the hosts, say what keeps a job from it, start nothing; `yes`: mend what can be mended.
  bool setup_ssh = false;
  bool yes = false;
  /// More ranks than GPUs on a host are meant.
  bool share_gpu = false;
  /// Each rank sees its own GPU alone; unset: CUDA_VISIBLE_DEVICES is left as it is.
  std::optional<bool> own_gpu_only;
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
};

}  // namespace ringrun
