#include "launcher/launch_context.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "launcher/engine/left_over.hpp"
#include "lib/error.hpp"

namespace ringrun {
namespace {

std::string current_folder() {
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  if (!error) return folder;
  throw UserError("the current folder cannot be read: " + error.message(), "change into a folder that exists");
}

}  // namespace

LaunchContext make_launch_context(const LaunchRequest& request) {
  LaunchContext context{request, read_environment(), own_executable(), current_folder()};
  // mpirun looks for its own parts on PATH.
  context.environment.emplace("PATH", kDefaultPath);
  std::vector<std::string> exports = request.exports;
  for (const ProgramRequest& program : request.more)
    exports.insert(exports.end(), program.exports.begin(), program.exports.end());
  context.dropped = left_over_names(context.environment, exports);
  for (const std::string& name : context.dropped) context.environment.erase(name);
  // Whatever looks for the engine from here on must not find ringrun.
  context.environment[kLauncherVariable] = std::to_string(getpid());
  setenv(kLauncherVariable, context.environment[kLauncherVariable].c_str(), 1);
  return context;
}

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
