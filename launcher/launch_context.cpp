#include "launcher/launch_context.hpp"

#include <filesystem>

namespace ringrun {

bool LaunchContext::through_slurm() const { return slurm && shell == slurm_shell_words(*slurm); }

bool LaunchContext::is_worker() const {
  return !program.empty() && std::filesystem::path(program[0]).filename() == "worker";
}

}  // namespace ringrun
