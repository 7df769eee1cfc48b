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

std::vector<std::string> environment_of(const fs::path& process) {
  return split(read_text(process / "environ"), std::string_view("\0", 1));
}

/// What of this process's environment says which rank of which job it is, in its launcher's words. ringrun's wrapper,
/// which is above the worker, has no others.
std::vector<std::string> own_identity(const std::vector<std::string>& environment) {
  static constexpr std::array<std::array<const char*, 2>, 4> kNames = {{{"PMIX_NAMESPACE=", "PMIX_RANK="},
                                                                        {"SLURM_STEP_ID=", "SLURM_PROCID="},
                                                                        {"PMI_ID=", "PMI_RANK="},
                                                                        {"RANK=", "LOCAL_RANK="}}};
  std::vector<std::string> identity;
  for (const auto& names : kNames) {
    for (const std::string& entry : environment) {
      if (entry.rfind(names[0], 0) == 0 || entry.rfind(names[1], 0) == 0) identity.push_back(entry);
    }
    if (!identity.empty()) break;
  }
  return identity;
}

/// What cannot be read is another user's, and so a daemon.
bool is_of_this_rank(const fs::path& process, const std::vector<std::string>& own) {
  const std::vector<std::string> environment = environment_of(process);
  return !own.empty() && std::all_of(own.begin(), own.end(), [&](const std::string& entry) {
    return std::find(environment.begin(), environment.end(), entry) != environment.end();
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
  const std::vector<std::string> own = own_identity(environment_of(proc / "self"));
  for (const int process : ancestors(proc)) {
    const fs::path folder = proc / std::to_string(process);
    if (!is_of_this_rank(folder, own)) return allowed_cpus(folder);
  }
  return std::nullopt;
}

}  // namespace ringrun::worker
