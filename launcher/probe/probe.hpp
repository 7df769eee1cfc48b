#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"
#include "launcher/probe/agent_fleet.hpp"
#include "launcher/staging/copy_request.hpp"
#include "lib/explain/situation.hpp"
#include "lib/host/host_facts.hpp"
#include "lib/net/reachability.hpp"
#include "lib/placement/job_plan.hpp"

namespace ringrun {

struct ProbeRequest {
  /// Absolute path of ringrun, which is tried on every host.
  std::string ringrun;
  /// Words of the remote shell; empty where every host is this one, or where there is none.
  std::vector<std::string> shell;
  /// As the user named it, for messages; "srun" where hosts are reached through Slurm.
  std::string shell_name = "ssh";
  HostQuestion question;
  /// Asked of the first host alone: whether this port can be bound there. 0 for none.
  int master_port = 0;
  /// Seconds for each host.
  int timeout = 30;
};

/// One host's answer. `local`: it is the host that ringrun runs on. `address`: its name resolved here, or "".
struct HostAnswer {
  bool local = false;
  std::string address;
  HostFacts facts;  ///< where fault is none
  AgentFault fault = AgentFault::none;
  /// What the remote shell or the agent said, its last lines.
  std::string words;
  /// Seconds waited.
  double waited = 0;
  /// The place of its agent among those that were asked.
  std::size_t agent = 0;
  /// Where ringrun stands on that host, if it had to be copied there.
  std::string staged;
  /// The job's programs that stand elsewhere there, by the paths that they have here.
  std::map<std::string, ProgramCopy> programs = {};
  /// What was copied there, or was to be.
  std::vector<CopyView> copies = {};
};

/// What one host is to have: without contents it is only asked. They are those of the request's sent files.
struct CopyOrder {
  CopyRequest request;
  Contents contents = {};
};

/// Which of the hosts are this one, by resolve_names; the facts are still empty.
std::vector<HostAnswer> resolve_hosts(const HostList& hosts, bool by_name_server);

/// A host that takes part in the probes of the network: its place in the list of hosts.
struct Participant {
  std::size_t host = 0;
  std::vector<std::string> addresses;
};

/// The agents on all hosts, from the first question to the last probe.
class HostProbe {
 public:
  HostProbe(HostList hosts, std::vector<HostAnswer> resolved, ProbeRequest request);

  /// Asks every host at once; where ringrun is missing or is another build, it is copied there and asked again.
  std::vector<HostAnswer> ask(const SilenceReport& report);

  /// Asks or sends copies, all hosts at once; no order: that host is left alone and has no answer. A host that does not
  /// answer has a problem in its answer.
  std::vector<std::optional<CopyAnswer>> copy(const std::vector<std::optional<CopyOrder>>& orders);

  /// Lets the participants try each other on every address. Links count the participants, not the hosts. Everybody
  /// tries the participants in `everybodys` whatever their number.
  ReachMatrix try_network(const std::vector<Participant>& participants, const std::vector<std::size_t>& everybodys,
                          const std::optional<PortRange>& ports);

  /// Ends the agents: nothing of them is left when the job starts.
  void dismiss() { fleet_.reset(); }

  /// The command by which a user sees what the remote shell does.
  std::string try_by_hand(std::size_t host) const;

 private:
  bool needs_shell(std::size_t host) const;
  std::vector<std::string> command(std::size_t host, const std::string& program) const;
  void read_replies(const std::vector<std::optional<AgentReply>>& replies, std::vector<HostAnswer>& answers) const;
  void stage(std::vector<HostAnswer>& answers, const std::vector<std::optional<std::string>>& questions);

  HostList hosts_;
  std::vector<HostAnswer> resolved_;
  ProbeRequest request_;
  std::unique_ptr<AgentFleet> fleet_;
};

/// What is asked of this host where `common` is asked of all: its own variables are those that its ranks will find.
/// Pure.
HostQuestion question_for(const Host& host, HostQuestion common);

/// Reads an agent's first reply: the facts into `answer`, or the fault. Pure.
void read_reply(const AgentReply& reply, bool by_shell, HostAnswer& answer);

/// Lets the fault of a host with a container be docker's refusal, where its words say so. Pure.
void name_closed_container(const HostContainer& container, HostAnswer& answer);

}  // namespace ringrun
