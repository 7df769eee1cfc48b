#include "launcher/environment.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "lib/error.hpp"

namespace ringrun {
namespace {

bool is_program(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

}  // namespace

Environment read_environment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string::npos && equals != 0)
      environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

std::optional<std::string> find_variable(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> find_on_path(const Environment& environment, const std::string& name,
                                        const std::function<bool(const std::string&)>& is_skipped) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos) return is_program(name) ? std::optional(name) : std::nullopt;
  std::istringstream folders(find_variable(environment, "PATH").value_or(kDefaultPath));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path path = std::filesystem::absolute(folder.empty() ? "." : folder, ignored) / name;
    if (!is_program(path)) continue;
    if (is_skipped && is_skipped(path.string())) continue;
    return path.lexically_normal().string();
  }
  return std::nullopt;
}

std::string own_executable() {
  std::error_code error;
  const std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw SystemError("readlink /proc/self/exe", error.message(), error.value());
  return path.string();
}

}  // namespace ringrun
