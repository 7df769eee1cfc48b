#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringrun {

/// A library that a program needs, itself or through another one.
struct NeededLibrary {
  /// As it is asked for: "libfmt.so.9".
  std::string name;
  /// Where the loader finds it here.
  std::string path;
  /// It lies in a folder of the system, where another host may well have its own.
  bool of_system = false;
};

/// All libraries that the loader would load for `program` with this LD_LIBRARY_PATH, but those that must be the host's
/// own: the C library's, the GPU driver's, MPI's and PMIx's, and what only these need. What is not found is left out.
std::vector<NeededLibrary> library_closure(const std::filesystem::path& program, const std::string& library_path);

}  // namespace ringrun
