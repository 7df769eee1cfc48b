#pragma once

#include <string>

#include "launcher/engine/engine_kind.hpp"

namespace ringrun {

/// The program that starts the ranks: mpirun or srun.
struct Engine {
  EngineKind kind = EngineKind::openmpi4;
  /// Absolute; "" where none was found, which only --doctor survives.
  std::string path;
  /// "4.1.4"
  std::string version;
  /// It can bind ranks; some clusters' srun cannot.
  bool binds_tasks = true;
  bool operator==(const Engine&) const = default;
};

}  // namespace ringrun
