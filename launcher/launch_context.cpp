#include "launcher/launch_context.hpp"

#include <filesystem>

namespace ringrun {

bool LaunchContext::through_slurm() const { return slurm && shell == slurm_shell_words(*slurm); }

std::string LaunchContext::program() const {
  return programs.empty() || programs[0].argv.empty() ? "" : programs[0].argv[0];
}

std::vector<std::string> LaunchContext::more_programs() const {
  std::vector<std::string> names;
  for (std::size_t i = 1; i < programs.size(); ++i)
    names.push_back(programs[i].argv.empty() ? "" : programs[i].argv[0]);
  return names;
}

bool LaunchContext::is_worker() const {
  // all_gather_perf and its like are links to it.
  std::error_code not_here;
  return std::filesystem::weakly_canonical(program(), not_here).filename() == "worker";
}

}  // namespace ringrun
