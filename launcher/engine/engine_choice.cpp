#include "launcher/engine/engine_choice.hpp"

#include "launcher/engine/mpirun.hpp"
#include "launcher/launch_errors.hpp"

namespace ringrun {

Engine choose_engine(const EngineWish& wish, const Environment& environment, const std::string& ringrun) {
  if (wish.name == "slurm") {
    if (!wish.slurm) {
      throw UserError(
          "--engine slurm: this is not inside a Slurm allocation, or there is no srun on PATH",
          "start it from one: salloc -N2 --ntasks-per-node=8 ringrun …, or as a line of a script for sbatch");
    }
    return srun_engine(*wish.slurm);
  }
  try {
    return find_mpirun(wish.prefix, environment, ringrun);
  } catch (const HostError&) {
    if (!wish.slurm || wish.prefix || wish.name == "openmpi") throw;
    return srun_engine(*wish.slurm);
  }
}

}  // namespace ringrun
