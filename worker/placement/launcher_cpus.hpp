#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace ringrun::worker {

/// The processors that the launcher's process on this host may use (mpirun, its daemon, Slurm's; of a process that
/// nobody launched, its shell): the nearest process above this one that is no part of this rank, as shells between them
/// are. Nothing that a rank is bound to lies beyond. Unset where it cannot be seen. `proc` is the folder of the
/// kernel's process files.
std::optional<std::vector<int>> launcher_cpus(const std::filesystem::path& proc = "/proc");

}  // namespace ringrun::worker
