#include "launcher/engine/rsh.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "launcher/engine/host_directory.hpp"
#include "lib/error.hpp"

namespace ringrun {

int run_rsh(const std::vector<std::string>& words, const Environment& environment) {
  const auto json = find_variable(environment, kHostsVariable);
  if (!json) throw UserError("ringrun __rsh: RINGRUN_HOSTS is not set", "it is started by the engine of a ringrun job");
  const std::vector<std::string> command = daemon_command(host_directory_from_json(*json), words);
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  unsetenv(kHostsVariable);
  // What a login prints would stand among the ranks' results: their output comes through the daemon, not this way.
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execvp(argv[0], argv.data());
  throw SystemError("execvp " + command[0], std::strerror(errno), errno);
}

}  // namespace ringrun
