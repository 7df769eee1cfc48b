#pragma once

#include <string>
#include <vector>

#include "launcher/environment.hpp"

namespace ringrun {

/// The program as an absolute path, the same on every host: a name with a slash from `cwd`, another one from PATH here.
/// Throws ProgramError where it is not on PATH.
std::string resolve_program(const std::string& name, const std::string& cwd, const Environment& environment);

/// The sweep worker that belongs to this ringrun: beside it, or in ../libexec/ringrun. Throws ProgramError.
std::string find_worker(const std::string& ringrun);

}  // namespace ringrun
