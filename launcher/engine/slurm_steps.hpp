#pragma once

#include <string>

#include "launcher/environment.hpp"

namespace ringrun {

/// A step of that name of a Slurm job is there still, as far as squeue knows.
bool has_slurm_step(const std::string& job, const std::string& name, const Environment& environment);

/// What `squeue --steps --format=%j` prints names it. Pure.
bool names_step(const std::string& listed, const std::string& name);

}  // namespace ringrun
