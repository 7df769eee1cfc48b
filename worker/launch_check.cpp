#include "worker/launch_check.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "lib/mpi/launch_environment.hpp"
#include "worker/exit_code.hpp"

namespace ringrun::worker {

void check_launcher() {
  const char* rank = std::getenv("RANK");
  const char* world_size = std::getenv("WORLD_SIZE");
  if (mpi::launch_environment().rank || rank == nullptr || world_size == nullptr || std::atoi(world_size) < 2) return;
  throw Unsupported(fmt::format("RANK={} and WORLD_SIZE={} are set, but no launcher of MPI started this process: it "
                                "would sweep alone",
                                rank, world_size),
                    "start it by ringrun, mpirun or srun --mpi=pmix; to sweep alone, unset RANK and WORLD_SIZE");
}

void check_world_size(const MpiTeam& team) {
  const auto launched = mpi::launch_environment().size.value_or(team.processes());
  if (launched == team.processes()) return;
  throw Unsupported(fmt::format("the launcher started {} processes, but MPI says this is {} of {}", launched,
                                team.process(), team.processes()),
                    "the launcher is of another MPI than the one this worker is linked with: use that one's mpirun, "
                    "or build the worker again");
}

}  // namespace ringrun::worker
