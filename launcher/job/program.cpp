#include "launcher/job/program.hpp"

#include <unistd.h>

#include <filesystem>

#include "launcher/launch_errors.hpp"
#include "lib/text/words.hpp"

namespace ringrun {

namespace {

std::string without_dot(const std::string& name) { return name.rfind("./", 0) == 0 ? name.substr(2) : name; }

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string resolve_program(const std::string& name, const ProgramSearch& search, const Environment& environment) {
  const std::filesystem::path folder = search.folder;
  if (name.find('/') != std::string::npos) return (folder / without_dot(name)).string();
  const std::string path = find_variable(environment, "PATH").value_or(kDefaultPath);
  const std::string folders = (search.path ? *search.path + ":" : "") + path + ":.";
  for (const std::string& place : split_text(folders, ':')) {
    // Relative folders are those of where the ranks start.
    const std::filesystem::path found = folder / without_dot(place.empty() || place == "." ? name : place + "/" + name);
    if (is_program(found)) return found.string();
  }
  throw ProgramError(127, "there is no program '" + name + "' on PATH", "check its name, or write its path");
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
