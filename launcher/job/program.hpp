#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/environment.hpp"

namespace ringrun {

/// Where a program is looked for.
struct ProgramSearch {
  /// The folder in which its ranks start: names with a slash are relative to it.
  std::string folder;
  /// --path: folders before PATH, with colons between them.
  std::optional<std::string> path;
};

/// The program as an absolute path, the same on every host: a name with a slash from the folder; another one from
/// --path, PATH and the folder, in this order, as mpirun looks for it. Throws ProgramError where PATH has none.
std::string resolve_program(const std::string& name, const ProgramSearch& search, const Environment& environment);

/// The sweep's worker: beside ringrun, or where the installation puts it. Throws ProgramError.
std::string find_worker(const std::string& ringrun);

}  // namespace ringrun
