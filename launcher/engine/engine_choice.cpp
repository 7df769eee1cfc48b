#include "launcher/engine/engine_choice.hpp"

#include "launcher/engine/mpirun.hpp"
#include "lib/error.hpp"

namespace ringrun {

Engine choose_engine(const EngineWish& wish, const Environment& environment, const std::string& ringrun) {
  if (wish.name == "slurm")
    throw UserError("--engine slurm: this is not inside a Slurm allocation", "start it from salloc or sbatch");
  return find_mpirun(wish.prefix, environment, ringrun);
}

}  // namespace ringrun
