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

/// The job itself talks MPI between hosts: its transport is MPI, or it is the worker, whose ranks meet over MPI.
bool needs_mpi(const Situation& situation);

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

bool contains_word(std::string_view text, std::string_view word);

}  // namespace ringrun
