#pragma once

#include <optional>
#include <string>

#include "launcher/engine/engine.hpp"
#include "launcher/engine/slurm.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// What the user says of the engine.
struct EngineWish {
  /// --engine: "auto", "openmpi" or "slurm"; unset: auto.
  std::optional<std::string> name;
  /// --prefix
  std::optional<std::string> prefix;
  /// Where ringrun is in a Slurm allocation.
  std::optional<Slurm> slurm = {};
};

/// The engine of a job that is started from `environment`: Open MPI's mpirun, and srun where it is asked for, or where
/// there is no such mpirun in an allocation. `ringrun` is this program, which is never its own engine.
/// Throws HostError where there is none, UserError where the one that is asked for cannot be.
Engine choose_engine(const EngineWish& wish, const Environment& environment, const std::string& ringrun);

}  // namespace ringrun
