#pragma once

#include <filesystem>
#include <vector>

namespace ringrun {

/// The processes above this one, the nearest first: a launcher's shells and daemon are among them. As far as they can
/// be seen, and 16 at most. `proc` is the folder of the kernel's process files.
std::vector<int> ancestors(const std::filesystem::path& proc = "/proc");

}  // namespace ringrun
