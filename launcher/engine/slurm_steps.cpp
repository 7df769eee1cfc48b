#include "launcher/engine/slurm_steps.hpp"

#include <sstream>

#include "launcher/run/capture.hpp"

namespace ringrun {

bool names_step(const std::string& listed, const std::string& name) {
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    if (line.substr(0, line.find_last_not_of(' ') + 1) == name) return true;
  }
  return false;
}

bool has_slurm_step(const std::string& job, const std::string& name, const Environment& environment) {
  const auto squeue = find_on_path(environment, "squeue");
  if (!squeue) return false;
  const CaptureCommand list{
      {*squeue, "--steps", "--noheader", "--jobs=" + job, "--format=%j"}, "", std::chrono::seconds(5)};
  return names_step(capture_all({list}, 1)[0].out, name);
}

}  // namespace ringrun
