#include "launcher/engine/engine_command.hpp"

#include <stdexcept>

#include "launcher/engine/openmpi.hpp"
#include "launcher/engine/srun.hpp"

namespace ringrun {

EngineCommand engine_command(const EngineRequest& request, const Environment& environment) {
  switch (request.engine.kind) {
    case EngineKind::openmpi4:
    case EngineKind::openmpi5:
      return openmpi_command(request, environment);
    case EngineKind::slurm:
      return srun_command(request, environment);
  }
  throw std::logic_error("an engine without a command");
}

}  // namespace ringrun
