#pragma once

#include <filesystem>
#include <string>

namespace ringrun {

/// True where a server that sets SO_REUSEADDR, as PyTorch's store does, could listen on the TCP port at all of this
/// host's addresses: connections that linger from an ended job do not hinder it, another listener does.
bool can_serve(int port);

/// Who listens on the port, "pid 4711 (python3)"; "" where nobody does, or the process belongs to somebody else. Looks
/// through the descriptors of all processes under `root`/proc: for a port that is known to be taken.
std::string port_holder(int port, const std::filesystem::path& root = "/");

/// The first TCP port from `first` to `last` that nothing on this host is bound to, 0 where there is none.
int free_port_in_range(int first, int last);

}  // namespace ringrun
