#pragma once

#include <optional>
#include <string>

#include "launcher/engine/engine.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// True where the file is this program, under whatever name, or a copy of it.
bool is_ringrun(const std::string& path, const std::string& ringrun);

/// The first program `name` ("mpirun") in PREFIX/bin, then on PATH, that is not ringrun. Throws HostError where there
/// is none.
std::string find_engine_path(const std::string& name, const std::optional<std::string>& prefix,
                             const Environment& environment, const std::string& ringrun);

/// The first mpirun in PREFIX/bin, then on PATH, that is not ringrun under another name, asked for its version. Throws
/// HostError where there is none, or another MPI's.
Engine find_mpirun(const std::optional<std::string>& prefix, const Environment& environment,
                   const std::string& ringrun);

/// From what `mpirun --version` prints. Throws HostError where it is not Open MPI 4 or 5.
Engine parse_mpirun_version(const std::string& path, const std::string& text);

}  // namespace ringrun
