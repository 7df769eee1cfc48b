#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launcher/staging/copy_request.hpp"
#include "launcher/staging/library_closure.hpp"

namespace ringrun {

/// Files of this host that may go to others: what is said of them, and where they lie here.
struct LocalFiles {
  std::vector<CopyFile> files;
  std::vector<std::filesystem::path> paths;
};

/// A program of the job as it stands on the launching host.
struct LocalProgram {
  /// The program under its own name, and behind it what stands beside it: the worker's GPU library.
  LocalFiles files;
  /// Its libraries, where they are to be copied too.
  std::vector<NeededLibrary> libraries;
  ProgramFacts facts;
};

/// Reads the program that `question` names; empty where it is not here, or may not be executed. Throws UserError where
/// it cannot be read.
std::optional<LocalProgram> read_local_program(const HostQuestion& question, bool with_libraries);

/// A host that lacks the program gets a copy unasked. What the system's packages install, and interpreters, are no use
/// without all the rest of them.
bool is_copied_unasked(const std::string& program);

/// The program's files and those of its libraries that are no part of a system, or that the host lacks.
LocalFiles files_for_host(const LocalProgram& program, const std::vector<std::string>& lacking);

/// The facts of the program with what its copied libraries need of a host besides.
ProgramFacts needs_of(const LocalProgram& program, const LocalFiles& files);

inline constexpr const char* kStandardLibrary = "libstdc++.so.6";

/// Of --preload-files: names are relative to the current folder `cwd`, or absolute; of a folder all files below it,
/// and the empty folders. Throws UserError, also for what is neither file nor folder.
LocalFiles read_local_files(const std::vector<std::string>& names, const std::string& cwd);

}  // namespace ringrun
