#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

/// Where a copy of this program stands on a host, or why there is none.
struct StagedCopy {
  std::string path;
  /// The host's own words, "" where the copy is there.
  std::string why_not;
};

/// Copies this program to each host, through the remote shell, into a folder of the user's cache there that is named by
/// `build`; where it already stands there nothing is copied. A copy that the host's C library is too old for, or whose
/// folder is not this user's own, counts as none.
std::vector<StagedCopy> stage_program(const std::vector<std::string>& shell, const HostList& hosts,
                                      const std::string& program, const std::string& build, int timeout_seconds);

/// What the host prints before it takes the copy: "RINGRUN-LIBC glibc 2.36 x86_64". The fault where the program cannot
/// run there, "" where it can. Pure.
std::string staging_obstacle(const std::string& said, const std::string& needs_glibc, const std::string& machine);

}  // namespace ringrun
