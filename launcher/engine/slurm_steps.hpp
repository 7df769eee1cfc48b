#pragma once

#include <string>
#include <vector>

#include "launcher/environment.hpp"

namespace ringrun {

/// Kills the steps of that name of a Slurm job: srun that was killed itself leaves them running. Says nothing where
/// Slurm does not answer.
void end_slurm_steps(const std::string& job, const std::string& name, const Environment& environment);

/// The steps of that name in what `squeue --steps --format="%i %j"` prints. Pure.
std::vector<std::string> steps_named(const std::string& name, const std::string& listed);

}  // namespace ringrun
