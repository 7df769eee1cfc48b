#include "launcher/launch_context.hpp"

#include <filesystem>

namespace ringrun {

bool LaunchContext::through_slurm() const { return slurm && shell == slurm_shell_words(*slurm); }

std::string LaunchContext::program() const {
  return programs.empty() || programs[0].argv.empty() ? "" : programs[0].argv[0];
}

bool LaunchContext::is_worker() const { return std::filesystem::path(program()).filename() == "worker"; }

}  // namespace ringrun
