#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"
#include "launcher/run/capture.hpp"
#include "lib/host/host_facts.hpp"

namespace ringrun {

struct ProbeRequest {
  /// Absolute path of ringrun, the same on every host.
  std::string ringrun;
  /// Words of the remote shell; empty where every host is this one.
  std::vector<std::string> shell;
  HostQuestion question;
  /// Seconds for each host.
  int timeout = 30;
};

/// One host's answer. `local`: it is the host that ringrun runs on. `address`: its name resolved here, or "".
struct HostAnswer {
  bool local = false;
  std::string address;
  HostFacts facts;
};

/// Asks every host at once. Throws HostError that names every host that failed, with cause and remedy.
std::vector<HostAnswer> probe_hosts(const HostList& hosts, const std::vector<HostAnswer>& resolved,
                                    const ProbeRequest& request);

/// Which of the hosts are this one; the facts are still empty.
std::vector<HostAnswer> resolve_hosts(const HostList& hosts);

/// Why a host's agent gave no facts, and what to do.
struct ProbeFault {
  std::string cause;
  std::string remedy;
};

/// The facts in what an agent said, or the fault. Pure.
std::optional<ProbeFault> read_answer(const Host& host, const ProbeRequest& request, const Captured& captured,
                                      HostFacts& facts);

}  // namespace ringrun
