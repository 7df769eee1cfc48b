#pragma once

#include <optional>
#include <string>
#include <vector>

#include "launcher/cli/launch_request.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// True for the names under which an engine's mpirun is called: a folder of links by these names, first on PATH, gives
/// a script ringrun.
bool is_engines_name(const std::string& program);

/// What only the engine itself can answer under its own name: --version, whose text scripts read, and a call without a
/// program, which is its error.
bool is_for_engine(const LaunchRequest& request);

/// Becomes the engine's program of the name that ringrun is called by, with these words; returns only by throwing.
int become_engine(const std::string& program, const LaunchRequest& request, const std::vector<std::string>& words,
                  const Environment& environment);

}  // namespace ringrun
