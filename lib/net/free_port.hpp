#pragma once

namespace ringrun {

/// Nothing on this host has the TCP port, not even in TIME_WAIT.
bool is_free_port(int port);

/// A program that sets SO_REUSEADDR, as daemons do, can listen on the TCP port of every address of this host.
bool may_listen_on(int port);

/// The first free TCP port from `first` upwards, and behind 65535 from 1024, that lies outside
/// net.ipv4.ip_local_port_range, so that no outgoing connection takes it before the job does. 0: there is none.
int find_free_port(int first);

}  // namespace ringrun
