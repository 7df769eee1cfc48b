#include "launcher/surroundings_checks.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "launcher/launch_errors.hpp"

namespace ringrun {
namespace {

/// The user says elsewhere where mpirun keeps it.
bool is_session_folder_said(const LaunchRequest& request, const Environment& environment) {
  constexpr std::array kParameters = {"orte_tmpdir_base", "orte_local_tmpdir_base", "prte_tmpdir_base",
                                      "prte_local_tmpdir_base"};
  const auto& passed = request.engine_options.passed;
  const auto is_said = [&](const std::string& parameter) {
    return find_variable(environment, "OMPI_MCA_" + parameter) || find_variable(environment, "PRTE_MCA_" + parameter) ||
           std::any_of(request.parameters.begin(), request.parameters.end(),
                       [&](const auto& given) { return given.first == parameter; });
  };
  return std::any_of(passed.begin(), passed.end(), [](const auto& option) { return option.name == "--tmpdir"; }) ||
         std::any_of(kParameters.begin(), kParameters.end(), is_said);
}

/// "" where a folder can be used, or be made, at `path`.
std::string obstacle_at(const std::filesystem::path& path) {
  if (!path.is_absolute()) return "it is no absolute path";
  std::filesystem::path there = path;
  std::error_code error;
  while (!std::filesystem::exists(there, error) && there.has_relative_path()) there = there.parent_path();
  if (!std::filesystem::is_directory(there, error)) return there.string() + " is no folder";
  if (access(there.c_str(), W_OK | X_OK) == 0) return {};
  return there.string() + ": " + std::strerror(errno);
}

}  // namespace

void check_open_files(int ranks) {
  // Measured with 4.1.4: 31 for one rank, 35 for two, 59 for eight, 91 for sixteen.
  constexpr rlim_t kOfMpirun = 27;
  constexpr rlim_t kOfRank = 4;
  const rlim_t needed = kOfMpirun + kOfRank * static_cast<rlim_t>(ranks);
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  throw HostError("a process may open " + std::to_string(limit.rlim_cur) + " files here, and mpirun needs " +
                      std::to_string(needed) + " for " + std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks"),
                  "ulimit -n 1024   # where the shell refuses: a nofile line in /etc/security/limits.conf");
}

void check_session_folder(const LaunchRequest& request, const Environment& environment) {
  if (is_session_folder_said(request, environment)) return;
  for (const char* name : {"TMPDIR", "TEMP", "TMP"}) {
    const auto folder = find_variable(environment, name);
    if (!folder) continue;
    const std::string obstacle = folder->empty() ? "" : obstacle_at(*folder);
    if (obstacle.empty()) return;
    throw HostError(
        "mpirun cannot keep its session folder in " + std::string(name) + ", '" + *folder + "': " + obstacle,
        "export " + std::string(name) + "=/tmp");
  }
}

}  // namespace ringrun
