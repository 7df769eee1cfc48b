#include "launcher/masquerade.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "launcher/engine/mpirun.hpp"
#include "launcher/request_checks.hpp"
#include "lib/error.hpp"

namespace ringrun {

bool is_engines_name(const std::string& program) {
  static constexpr std::array kNames = {"mpirun", "mpiexec", "orterun", "prterun"};
  return std::find(kNames.begin(), kNames.end(), std::filesystem::path(program).filename()) != kNames.end();
}

bool is_for_engine(const LaunchRequest& request) {
  return request.version || (request.program.empty() && !request.doctor && !request.completion && !request.help);
}

int become_engine(const std::string& program, const LaunchRequest& request, const std::vector<std::string>& words,
                  const Environment& environment) {
  const std::string name = std::filesystem::path(program).filename();
  const std::string path = find_engine_path(name, request.prefix, environment, own_executable());
  std::vector<char*> argv = {const_cast<char*>(name.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  setenv(kLauncherVariable, std::to_string(getpid()).c_str(), 1);
  execv(path.c_str(), argv.data());
  throw SystemError("execv " + path, std::strerror(errno), errno);
}

}  // namespace ringrun
