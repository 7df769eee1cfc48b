#pragma once

#include <filesystem>
#include <string>

#include "lib/host/host_facts.hpp"
#include "lib/host/host_file.hpp"
#include "lib/host/library_search.hpp"

namespace ringrun {

/// Each "" where it was not found.
struct NcclLibrary {
  std::string path;
  std::string version;  ///< "2.28.9"
  /// The loader's own words where it does not find or does not load libnccl.so.2. `path` beside them is a copy in a
  /// folder that the loader does not look in, such as a Python environment's.
  std::string why_not;
  std::string plugin;  ///< the network plugin: libnccl-net.so, or the one that NCCL_NET_PLUGIN names
};

/// The NCCL that the question's program will load. Where libringrun_nccl.so lies beside the program, that library's
/// search folders count, and else the program's own. The version is read from the file: from its name, or from the
/// text in it; only where neither says it, or the question is thorough, is NCCL loaded and asked. Never throws.
NcclLibrary find_nccl(const HostQuestion& question, const Environment& environment, const LibrarySearch& search,
                      const std::filesystem::path& root = "/");

/// "libnccl.so.2.28.9" as "2.28.9", "" of a name without three numbers.
std::string nccl_version_of_name(const std::string& name);

/// 22809 as "2.28.9", 2708 as "2.7.8".
std::string nccl_version_of_number(int number);

}  // namespace ringrun
