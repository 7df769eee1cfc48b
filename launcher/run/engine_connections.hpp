#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <string_view>

namespace ringrun {

/// The addresses, as text, with which a process has established TCP connections; empty where /proc does not tell.
std::set<std::string> connected_addresses(pid_t process);

/// Of the lines of /proc/net/tcp or tcp6 (`text`) those established ones whose socket's inode is in `inodes`. An IPv4
/// address that is written as an IPv6 one is given as IPv4.
std::set<std::string> connected_addresses(std::string_view text, const std::set<std::string>& inodes);

/// The TCP ports on which a process listens; empty where /proc does not tell.
std::set<int> listening_ports(pid_t process);

/// Of the lines of /proc/net/tcp or tcp6, likewise.
std::set<int> listening_ports(std::string_view text, const std::set<std::string>& inodes);

}  // namespace ringrun
