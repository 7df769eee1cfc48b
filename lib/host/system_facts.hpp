#pragma once

#include <filesystem>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// Reads the files of a host under `root`; `root`, `clock_ms` and `architecture` of the facts are this process's own.
/// Asks `wslinfo`, for at most 1 s, where the host is WSL and has it. Never throws: what cannot be read stays at its
/// default.
SystemFacts read_system_facts(const std::filesystem::path& root = "/");

}  // namespace ringrun
