#pragma once

namespace ringrun {

/// What starts the ranks: mpirun of Open MPI 4 or of Open MPI 5 (PRRTE), or Slurm's srun.
enum class EngineKind { openmpi4, openmpi5, slurm };

}  // namespace ringrun
