#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ringrun {

/// Something that memory of this process counts against: the host's own, or the limit of a control group.
struct MemoryRoom {
  std::string cgroup;             ///< its path, as this process sees it: "/docker/4c0e…"; "": the host itself
  std::string id;                 ///< the same for all processes of a host that share the group; "": the host itself
  std::int64_t limit_bytes = 0;   ///< 0 for the host itself
  std::int64_t unused_bytes = 0;  ///< what can still be taken; what the kernel would give up for it counts as unused
};

/// The host's memory, then those control groups above this process that have a limit, of either generation, its own
/// first. None where nothing is said. `root` has the files of /proc and /sys.
std::vector<MemoryRoom> read_memory_rooms(const std::filesystem::path& root = "/");

}  // namespace ringrun
