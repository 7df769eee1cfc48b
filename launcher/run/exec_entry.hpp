#pragma once

#include <string>
#include <vector>

namespace ringrun {

/// `ringrun __exec PARENT GROUP program…`: becomes the program, which is told to end (SIGTERM) when the process PARENT
/// ends, however that ends. GROUP "1": in a process group of its own. libuv has no place between fork and exec for
/// this. Returns the exit code where the program cannot be started.
int run_exec(const std::vector<std::string>& words);

}  // namespace ringrun
