#include "launcher/engine/slurm_steps.hpp"

#include <sstream>

#include "launcher/run/capture.hpp"

namespace ringrun {

std::vector<std::string> steps_named(const std::string& name, const std::string& listed) {
  std::vector<std::string> steps;
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string step;
    std::string its_name;
    if (words >> step >> its_name && its_name == name) steps.push_back(step);
  }
  return steps;
}

void end_slurm_steps(const std::string& job, const std::string& name, const Environment& environment) {
  constexpr std::chrono::seconds kPatience{5};
  const auto squeue = find_on_path(environment, "squeue");
  const auto scancel = find_on_path(environment, "scancel");
  if (!squeue || !scancel) return;
  const Captured listed =
      capture_all({{{*squeue, "--steps", "--noheader", "--jobs=" + job, "--format=%i %j"}, "", kPatience}}, 1)[0];
  std::vector<CaptureCommand> commands;
  for (const std::string& step : steps_named(name, listed.out)) {
    commands.push_back({{*scancel, "--signal=KILL", step}, "", kPatience});
  }
  if (!commands.empty()) capture_all(commands, 1);
}

}  // namespace ringrun
