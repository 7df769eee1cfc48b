#pragma once

namespace ringrun {

/// What starts the ranks.
enum class EngineKind { openmpi4, openmpi5, slurm };

}  // namespace ringrun
