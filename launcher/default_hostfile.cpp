#include "launcher/default_hostfile.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launcher/hosts/hostfile.hpp"
#include "lib/host/configuration_facts.hpp"

namespace ringrun {
namespace {

// Of Open MPI 4 and of 5.
constexpr std::array kParameters = {"orte_default_hostfile", "prte_default_hostfile"};
constexpr const char* kInstalled = "/etc/openmpi/openmpi-default-hostfile";

std::optional<std::string> find_parameter(const LaunchContext& context) {
  for (const char* name : kParameters) {
    for (const auto& [parameter, value] : context.request.parameters) {
      if (parameter == name) return value;
    }
  }
  for (const char* name : kParameters) {
    for (const char* prefix : {"OMPI_MCA_", "PRTE_MCA_"}) {
      if (const auto value = find_variable(context.environment, std::string(prefix) + name)) return value;
    }
  }
  // The user's files come before the installation's, as '~' does not come before '/'.
  const auto files = read_configuration_facts(context.environment, "").mca_files;
  for (auto file = files.rbegin(); file != files.rend(); ++file) {
    for (const char* name : kParameters) {
      if (const auto found = file->second.find(name); found != file->second.end()) return found->second;
    }
  }
  return std::nullopt;
}

bool names_a_host(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return !parse_hostfile(text.str(), path).empty();
}

}  // namespace

std::optional<std::string> find_default_hostfile(const LaunchContext& context) {
  if (context.request.default_hostfile) return context.request.default_hostfile;
  if (context.allocation) return std::nullopt;
  if (const auto said = find_parameter(context)) return *said == "none" ? std::nullopt : said;
  return names_a_host(kInstalled) ? std::optional<std::string>(kInstalled) : std::nullopt;
}

}  // namespace ringrun
