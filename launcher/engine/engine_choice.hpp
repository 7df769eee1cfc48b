#pragma once

#include <optional>
#include <string>

#include "launcher/engine/engine.hpp"
#include "launcher/environment.hpp"

namespace ringrun {

/// What the user says of the engine.
struct EngineWish {
  /// --engine: "auto", "openmpi" or "slurm"; unset: auto.
  std::optional<std::string> name;
  /// --prefix
  std::optional<std::string> prefix;
};

/// The engine of a job that is started from `environment`. `ringrun` is this program, which is never its own engine.
/// Throws HostError where there is none, UserError where the one that is asked for cannot be.
Engine choose_engine(const EngineWish& wish, const Environment& environment, const std::string& ringrun);

}  // namespace ringrun
