#include "launcher/engine/engine_command.hpp"

#include "launcher/engine/openmpi.hpp"
#include "lib/error.hpp"

namespace ringrun {

EngineCommand engine_command(const EngineRequest& request, const Environment& environment) {
  switch (request.engine.kind) {
    case EngineKind::openmpi4:
    case EngineKind::openmpi5:
      return openmpi_command(request, environment);
    case EngineKind::slurm:
      break;
  }
  throw UserError("jobs cannot be started by srun yet", "--engine openmpi");
}

}  // namespace ringrun
