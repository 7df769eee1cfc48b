#include <unistd.h>

#include "launcher/engine/openmpi.hpp"

namespace ringrun {
namespace {

std::string quoted(const std::string& word) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%^";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string shell_line(const EngineCommand& command) {
  std::string line;
  if (!command.unset.empty()) {
    line = "env";
    for (const std::string& name : command.unset) line += " -u " + quoted(name);
    line += ' ';
  }
  for (const auto& [name, value] : command.set) line += name + "=" + quoted(value) + " ";
  for (std::size_t i = 0; i < command.argv.size(); ++i) line += (i == 0 ? "" : " ") + quoted(command.argv[i]);
  return line;
}

bool may_run_as_root(bool allowed_by_option, const Environment& environment) {
  const auto is_one = [&](const char* name) { return find_variable(environment, name) == "1"; };
  return geteuid() != 0 || allowed_by_option ||
         (is_one("OMPI_ALLOW_RUN_AS_ROOT") && is_one("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")) ||
         (is_one("PRTE_ALLOW_RUN_AS_ROOT") && is_one("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"));
}

}  // namespace ringrun
