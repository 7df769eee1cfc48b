#pragma once

#include "launcher/engine/engine_command.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// The command for Open MPI 4.1 or 5, whichever request.engine is. Pure.
EngineCommand openmpi_command(const EngineRequest& request, const Environment& environment);

/// True where mpirun would start as root: not root, or said to be meant.
bool may_run_as_root(bool allowed_by_option, const Environment& environment);

}  // namespace ringrun
