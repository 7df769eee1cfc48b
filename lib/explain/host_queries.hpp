#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/explain/finding.hpp"
#include "lib/explain/situation.hpp"

namespace ringrun {

/// The hosts whose agent answered and on which ranks will run.
std::vector<const HostView*> rank_hosts(const Situation& situation);

/// The hosts whose agent answered.
std::vector<const HostView*> answering_hosts(const Situation& situation);

bool uses_nccl(const Situation& situation);

/// `severity` for what breaks NCCL alone; a warning at most where it is only a guess that the program uses NCCL.
Severity if_nccl_breaks(const Situation& situation, Severity severity = Severity::error);

/// The job itself talks MPI between hosts: its transport is MPI, or it is the worker, whose ranks meet over MPI.
bool needs_mpi(const Situation& situation);

/// The job needs this way: the daemons call the launcher, ranks call each other; a host that only launches calls
/// nobody, and what a host says of itself does not count.
bool is_needed(const Situation& situation, const Link& link);

/// Every attempt was reached or refused within a second: a refusal that took longer was a search for the host.
bool is_refused_at_once(const Link& link);

/// What those who need host `place` found at `address`: false where somebody did not reach it, unset where nobody
/// tried. `by_mpi`: a refusal does not count where the other direction works, since Open MPI can do with one.
std::optional<bool> is_reached(const Situation& situation, std::size_t place, const std::string& address,
                               bool by_mpi = false);

/// The interface is a way to other hosts.
bool leads_outside(const HostView& host, const Interface& interface);

/// `ip` is one of this host's own addresses.
bool owns(const HostView& host, const std::string& ip);

/// The address lies in a range that docker or podman give to their bridges by default (172.16/12, 10.88/15).
bool in_container_pool(const std::string& ip);

/// A container whose network is a bridge of its own: marks of a container, and nothing besides lo but one veth that
/// carries an address of a container pool. Marks alone prove nothing (a plain machine can have /.dockerenv), nor does
/// the address.
bool is_bridge_container(const HostFacts& facts);

/// The first IPv4 address of the first interface that is up and is not loopback; "" for none.
std::string own_address(const HostFacts& facts);

/// A value and where it was said: "the environment", "/etc/nccl.conf", …
struct Setting {
  std::string value;
  std::string where;
  bool in_file = false;
};

/// What NCCL will find for this variable on the host, before ringrun says anything: the environment beats
/// ~/.nccl.conf, which beats /etc/nccl.conf.
std::optional<Setting> nccl_setting(const HostView& host, const std::string& name);

/// What Open MPI will find for this parameter on the host by the user's word: the command line, then the environment,
/// then parameter files.
std::optional<Setting> mca_setting(const Situation& situation, const HostView& host, const std::string& name);

/// The parts of "a,b", empty ones left out.
std::vector<std::string> split(std::string_view list, char separator = ',');
std::string join(const std::vector<std::string>& parts, std::string_view separator = ", ");

/// Negative, 0, positive as the dotted numbers a is older than, equal to, newer than b. Only the first `parts` count.
int compare_versions(std::string_view a, std::string_view b, int parts = 3);

std::string lower_case(std::string_view text);

bool contains_word(std::string_view text, std::string_view word);

}  // namespace ringrun
