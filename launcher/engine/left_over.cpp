#include "launcher/engine/left_over.hpp"

#include <algorithm>
#include <array>

#include "launcher/engine/host_directory.hpp"
#include "launcher/engine/plan_variables.hpp"
#include "launcher/run/rank_identity.hpp"
#include "launcher/run/shell_stage.hpp"
#include "lib/text/words.hpp"

namespace ringrun {
namespace {

bool begins_with(const std::string& text, const std::string& beginning) { return text.rfind(beginning, 0) == 0; }

// What an outer rank, launcher or torchrun leaves in the environment: it would be taken for this job's.
bool is_left_over(const std::string& name, bool inside_rank) {
  static constexpr std::array kAlways = {"TORCHELASTIC_"};
  static constexpr std::array kNames = {kHostsVariable,     kHostVariable, kSelfVariable,    kSetVariable,
                                        kRunVariable,       "RANK",        "LOCAL_RANK",     "WORLD_SIZE",
                                        "LOCAL_WORLD_SIZE", "GROUP_RANK",  "NODE_RANK",      "GROUP_WORLD_SIZE",
                                        "ROLE_RANK",        "ROLE_NAME",   "ROLE_WORLD_SIZE"};
  static constexpr std::array kOfRank = {"OMPI_COMM_WORLD_",
                                         "OMPI_MCA_ess",
                                         "OMPI_MCA_orte_",
                                         "OMPI_MCA_pmix",
                                         "PMIX_",
                                         "PRTE_",
                                         "OMPI_UNIVERSE_SIZE",
                                         "OMPI_APP_CTX",
                                         "OMPI_NUM_APP",
                                         "OMPI_FIRST_RANKS",
                                         "OMPI_FILE_LOCATION",
                                         "OMPI_COMMAND",
                                         "OMPI_ARGV",
                                         "OMPI_MCA_initial_wdir",
                                         "OMPI_MCA_ompi_",
                                         "OMPI_MCA_shmem_",
                                         "OMPI_MCA_plm_rsh",
                                         "PRTE_MCA_plm_ssh"};
  const auto begins = [&](const char* beginning) { return begins_with(name, beginning); };
  if (std::any_of(kAlways.begin(), kAlways.end(), begins)) return true;
  if (std::find(kNames.begin(), kNames.end(), name) != kNames.end() || is_plan_variable(name)) return true;
  return inside_rank && std::any_of(kOfRank.begin(), kOfRank.end(), begins);
}

/// True where a word of -x asks for the variable: "V", "V=value", "V*".
bool is_asked(const std::string& name, const std::vector<std::string>& exports) {
  return std::any_of(exports.begin(), exports.end(), [&](const std::string& word) {
    const std::string asked = word.substr(0, word.find('='));
    if (!asked.empty() && asked.back() == '*') return begins_with(name, asked.substr(0, asked.size() - 1));
    return asked == name;
  });
}

}  // namespace

std::vector<std::string> left_over_names(const Environment& environment, const std::vector<std::string>& exports) {
  const bool inside_rank = environment.count("OMPI_COMM_WORLD_RANK") != 0 || environment.count(kSetVariable) != 0;
  const std::vector<std::string> set = split_text(find_variable(environment, kSetVariable).value_or(""), ',');
  std::vector<std::string> names;
  for (const auto& [name, value] : environment) {
    const bool by_wrapper = std::find(set.begin(), set.end(), name) != set.end();
    if (is_left_over(name, inside_rank) || (by_wrapper && !is_asked(name, exports))) names.push_back(name);
  }
  return names;
}

}  // namespace ringrun
