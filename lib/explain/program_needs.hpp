#pragma once

#include <string>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// What a program needs that a host does not have, its kind of machine, its libc or its libstdc++: "needs GLIBC 2.38,
/// the host has 2.36". "" where nothing is known against it.
std::string unmet_need(const ProgramFacts& program, const HostFacts& host);

/// What mends that.
inline constexpr const char* kBuildThere =
    "# build it on the oldest of the hosts and copy it from there, or build it on each";

}  // namespace ringrun
