#pragma once

#include <filesystem>

#include "lib/host/host_facts.hpp"

namespace ringrun {

/// From /sys/class/infiniband and /proc/modules under `root`. Never throws.
FabricFacts read_fabric_facts(const std::filesystem::path& root = "/");

}  // namespace ringrun
