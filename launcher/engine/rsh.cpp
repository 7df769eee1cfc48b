#include "launcher/engine/rsh.hpp"

#include <unistd.h>

#include <cstdlib>

#include "launcher/engine/host_directory.hpp"
#include "launcher/run/shell_stage.hpp"
#include "lib/error.hpp"

namespace ringrun {

int run_rsh(const std::vector<std::string>& words, const Environment& environment) {
  const auto json = find_variable(environment, kHostsVariable);
  if (!json) throw UserError("ringrun __rsh: RINGRUN_HOSTS is not set", "it is started by the engine of a ringrun job");
  HostDirectory directory = host_directory_from_json(*json);
  directory.run_id = find_variable(environment, kRunVariable).value_or("");
  const std::vector<std::string> command = daemon_command(directory, words);
  for (const char* name : {kHostsVariable, kRunVariable}) unsetenv(name);
  // What a login prints would stand among the ranks' results: their output comes through the daemon, not this way.
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return run_remote_shell(command, directory.run_id, host_place(directory, words).value_or(-1));
}

}  // namespace ringrun
