#pragma once

namespace ringrun {

/// The first TCP port from `first` upwards that nothing on this host listens on and that lies outside
/// net.ipv4.ip_local_port_range, so that no outgoing connection takes it before the job does. 0: there is none.
int find_free_port(int first);

}  // namespace ringrun
