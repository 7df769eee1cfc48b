#pragma once

#include <filesystem>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// /dev/shm and the kernel's settings are read under `root`; the calls are tried by this process. Of `process_vm_calls`
/// Yama's scope, the capability and seccomp are asked; other security modules only where `thorough`. Never throws.
LimitFacts read_limit_facts(const std::filesystem::path& root = "/", bool thorough = false);

}  // namespace ringrun
