#include "launcher/run/exec_entry.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "lib/error.hpp"

namespace ringrun {

int run_exec(const std::vector<std::string>& words) {
  if (words.size() < 3) throw UserError("ringrun __exec: words are missing", "it is started by ringrun itself");
  const long parent = std::strtol(words[0].c_str(), nullptr, 10);
  if (words[1] == "1") setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  // The parent may have ended before the line above.
  if (getppid() != parent) return 128 + SIGTERM;
  std::vector<char*> argv;
  for (std::size_t i = 2; i < words.size(); ++i) argv.push_back(const_cast<char*>(words[i].c_str()));
  argv.push_back(nullptr);
  // Called by a path, mpirun would look for its daemon at that path on every host (as --prefix says); by its name, on
  // the PATH of each.
  const char* path = argv[0];
  if (char* slash = std::strrchr(argv[0], '/'); slash != nullptr) argv[0] = slash + 1;
  execv(path, argv.data());
  throw SystemError("execv " + words[2], std::strerror(errno), errno);
}

}  // namespace ringrun
