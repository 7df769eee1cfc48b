#include "launcher/job/program.hpp"

#include <unistd.h>

#include <filesystem>

#include "launcher/launch_errors.hpp"

namespace ringrun {

std::string resolve_program(const std::string& name, const std::string& cwd, const Environment& environment) {
  if (name.find('/') != std::string::npos) return (std::filesystem::path(cwd) / name).lexically_normal().string();
  if (const auto path = find_on_path(environment, name)) return *path;
  const bool here = access((std::filesystem::path(cwd) / name).c_str(), X_OK) == 0;
  throw ProgramError(127, "there is no program '" + name + "' on PATH",
                     here ? "one stands in this folder: write ./" + name : "check its name, or write its path");
}

std::string find_worker(const std::string& ringrun) {
  const std::filesystem::path folder = std::filesystem::path(ringrun).parent_path();
  const std::filesystem::path places[] = {folder / "worker", (folder / "../libexec/ringrun/worker").lexically_normal()};
  for (const auto& place : places) {
    if (access(place.c_str(), X_OK) == 0) return place.string();
  }
  throw ProgramError(
      127,
      "no program is given, and the sweep's worker is neither " + places[0].string() + " nor " + places[1].string(),
      "name a program, or build and install the worker");
}

}  // namespace ringrun
