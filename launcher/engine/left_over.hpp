#pragma once

#include <string>
#include <vector>

#include "launcher/environment.hpp"

namespace ringrun {

/// In the environment of everything that ringrun starts to look for the engine, and of the engine; not of ranks.
inline constexpr const char* kLauncherVariable = "RINGRUN_LAUNCHER";

/// What ringrun says where it finds that variable.
inline constexpr const char* kOwnEngine = "ringrun is started in place of the engine that it looks for";

/// Names that an outer job, launcher or torchrun left in `environment` and that would be taken for this job's: inside a
/// rank also the engine's own, and those that the rank's wrapper set, but for what `exports` (the words of -x) names.
std::vector<std::string> left_over_names(const Environment& environment, const std::vector<std::string>& exports);

}  // namespace ringrun
