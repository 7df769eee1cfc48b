#pragma once

#include <string>
#include <string_view>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// The hosts of a hostfile's text, in order, each name once; `file` is its name for messages. It reads Open MPI's
/// grammar (a host with slots=0 stays in the list), and ranges of names, `host:N`, lines `^host` that leave a host out,
/// and the comments "#:" that only ringrun reads: behind a host for that host, on a line of their own for every host.
/// Throws UserError "FILE:LINE: …'text'…".
HostList parse_hostfile(std::string_view text, const std::string& file);

/// Throws UserError where the file cannot be read or names no host.
HostList read_hostfile(const std::string& path);

}  // namespace ringrun
