#pragma once

#include <filesystem>
#include <vector>

namespace ringrun {

/// Of how many cores these processors are hardware threads, asked of the kernel alone (`root` is "/" for this host);
/// each counts as a core where the kernel does not say.
int core_count_of(const std::vector<int>& cpus, const std::filesystem::path& root = "/");

}  // namespace ringrun
