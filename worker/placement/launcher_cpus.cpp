#include "worker/placement/launcher_cpus.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "lib/error.hpp"
#include "lib/host/ancestors.hpp"
#include "lib/host/host_file.hpp"
#include "lib/topology/cpu_list.hpp"

namespace ringrun::worker {
namespace {

namespace fs = std::filesystem;

/// What of a process's environment says which rank of which job it is.
std::vector<std::string> identity_of(const fs::path& process) {
  static constexpr std::array kNames = {
      "PMIX_NAMESPACE=", "PMIX_RANK=", "OMPI_COMM_WORLD_RANK=", "PMI_RANK=", "SLURM_PROCID=", "SLURM_STEP_ID=",
      "RANK=",           "LOCAL_RANK="};
  std::vector<std::string> identity;
  for (const std::string& entry : split(read_text(process / "environ"), std::string_view("\0", 1))) {
    const bool tells =
        std::any_of(kNames.begin(), kNames.end(), [&](const char* name) { return entry.rfind(name, 0) == 0; });
    if (tells) identity.push_back(entry);
  }
  return identity;
}

/// What cannot be read is another user's, and so a daemon.
bool is_of_this_rank(const fs::path& process, const std::vector<std::string>& own) {
  const std::vector<std::string> identity = identity_of(process);
  return !own.empty() && std::all_of(own.begin(), own.end(), [&](const std::string& entry) {
    return std::find(identity.begin(), identity.end(), entry) != identity.end();
  });
}

std::optional<std::vector<int>> allowed_cpus(const fs::path& process) try {
  static constexpr std::string_view kName = "Cpus_allowed_list:";
  for (const std::string& line : read_lines(process / "status")) {
    if (line.rfind(kName, 0) == 0) return parse_cpu_list(trimmed(std::string_view(line).substr(kName.size())));
  }
  return std::nullopt;
} catch (const UserError&) {
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<int>> launcher_cpus(const fs::path& proc) {
  const std::vector<std::string> own = identity_of(proc / "self");
  for (const int process : ancestors(proc)) {
    const fs::path folder = proc / std::to_string(process);
    if (!is_of_this_rank(folder, own)) return allowed_cpus(folder);
  }
  return std::nullopt;
}

}  // namespace ringrun::worker
