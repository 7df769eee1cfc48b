#pragma once

#include "launcher/engine/engine_command.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// The command that starts the ranks as one Slurm step, joined by PMIx. Parameters of Open MPI's library become
/// variables; those of its launcher, and what else srun cannot do, are UserErrors that name them. Pure.
EngineCommand srun_command(const EngineRequest& request, const Environment& environment);

}  // namespace ringrun
