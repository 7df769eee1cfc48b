#include <unistd.h>

#include "launcher/engine/openmpi.hpp"
#include "lib/text/shell_word.hpp"

namespace ringrun {
std::string shell_line(const EngineCommand& command) {
  std::string line;
  if (!command.unset.empty()) {
    line = "env";
    for (const std::string& name : command.unset) line += " -u " + quote_for_shell(name);
    line += ' ';
  }
  for (const auto& [name, value] : command.set) line += name + "=" + quote_for_shell(value) + " ";
  for (std::size_t i = 0; i < command.argv.size(); ++i) line += (i == 0 ? "" : " ") + quote_for_shell(command.argv[i]);
  return line;
}

bool may_run_as_root(bool allowed_by_option, const Environment& environment) {
  const auto is_one = [&](const char* name) { return find_variable(environment, name) == "1"; };
  return geteuid() != 0 || allowed_by_option ||
         (is_one("OMPI_ALLOW_RUN_AS_ROOT") && is_one("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")) ||
         (is_one("PRTE_ALLOW_RUN_AS_ROOT") && is_one("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"));
}

}  // namespace ringrun
