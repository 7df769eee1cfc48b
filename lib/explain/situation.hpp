#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/host/host_facts.hpp"
#include "lib/net/network_choice.hpp"
#include "lib/net/probe_endpoint.hpp"
#include "lib/net/reachability.hpp"

namespace ringrun {

/// What the job's ranks talk over between hosts.
enum class Transport { mpi, nccl };

/// Why a host's agent did not answer.
enum class AgentFault {
  none,
  no_shell,       ///< the remote shell is not installed here
  shell_failed,   ///< it ended with its own error (ssh: 255); its words are in `agent_words`
  silent,         ///< nothing until the deadline
  no_container,   ///< docker did not let it into the container that the user names
  no_program,     ///< the shell worked, ringrun is not there and could not be copied
  other_version,  ///< ringrun there is another one and could not be replaced
  broken          ///< anything else
};

/// A program or file that goes to a host from the launching one.
struct CopyView {
  std::string name;
  /// The host has none under this name; else another one.
  bool was_missing = false;
  /// What keeps it from being copied, by the catalogue's id; "" where it is there now, or a launch would copy it.
  std::string fault = {};
  std::string problem = {};
  std::string fix = {};
};

/// One host as the preflight sees it.
struct HostView {
  /// As the user named it, and where ("hostfiles/ab:3").
  std::string name;
  std::string origin;
  std::optional<int> port;
  /// The container on the host in which its ranks run, where the hostfile names one (`via=docker:NAME`).
  std::string container;
  /// The name as a numeric address, "" where it does not resolve here.
  std::string address;
  /// It is the host that ringrun runs on.
  bool local = false;
  /// It only launches: no ranks run there.
  bool launches_only = false;
  /// Ranks that will run there; 0 where that is not known yet.
  int ranks = 0;
  AgentFault fault = AgentFault::none;
  /// What the remote shell or the agent said, its last lines.
  std::string agent_words;
  /// The command line of the remote shell, for the user to try.
  std::string try_by_hand;
  /// Seconds waited for an answer.
  double waited = 0;
  HostFacts facts;  ///< only where fault is none
  std::vector<CopyView> copies = {};
  /// What ranks of this host find in their environment by the user's word: exports of the job, `env.` of the host.
  std::map<std::string, std::string> environment;
};

/// Everything that the rules look at.
struct Situation {
  std::vector<HostView> hosts;
  ReachMatrix reach;
  NetworkChoice network;  ///< one entry a host, in the same order
  Transport transport = Transport::mpi;
  /// Nobody said so: it was concluded from the hosts.
  bool transport_guessed = false;
  /// The program is ringrun's own worker.
  bool is_worker = false;
  /// Several ranks on one GPU are meant.
  bool shares_gpus = false;
  std::string program;
  /// Those behind ':', in the order of the facts'.
  std::vector<std::string> more_programs = {};
  /// Ports that the user allows for connections between hosts.
  std::optional<PortRange> ports;
  /// Those of them on which nobody else listened when the launch looked, for the engine's daemons; unset: their share.
  std::optional<PortRange> daemon_ports = {};
  /// The environment of the launcher itself, and the launching engine's version ("4.1.4").
  std::map<std::string, std::string> launcher_environment;
  std::string engine_version;
  /// Other hosts are reached through steps of Slurm's, not by a login.
  bool through_slurm = false;
  /// The command line that looks at the logins of these hosts, "" where they are none by ssh.
  std::string setup_ssh = {};
  /// MCA parameters on the command line.
  std::vector<std::pair<std::string, std::string>> parameters;
  bool allow_run_as_root = false;
  /// The CUDA version that the worker's GPU library was built for, 0 where it has none.
  int built_for_cuda = 0;
  /// The NCCL version that the worker's GPU library needs at least, "" where it has none.
  std::string needs_nccl;
};

/// The value that a rank of this host will find: what the job says, else what the host's own shell has.
std::optional<std::string> rank_variable(const HostView& host, const std::string& name);

}  // namespace ringrun
