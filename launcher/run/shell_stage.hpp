#pragma once

#include <string>
#include <vector>

namespace ringrun {

/// The running job's id, for the engine, the remote shells that it starts and the daemons in them; a rank has it not.
inline constexpr const char* kRunVariable = "RINGRUN_RUN";

/// Words of a POSIX shell that tell the launcher that the remote shell to host `host` of the plan runs a command: put
/// before the daemon's.
std::string shell_greeting(const std::string& run_id, int host);

/// Runs the remote shell, and tells the launcher where it ends with another code than 0. Returns that code (128 +
/// signal). Where this process is killed, or the engine ends, the remote shell is told to end. Throws SystemError.
int run_remote_shell(const std::vector<std::string>& words, const std::string& run_id, int host);

}  // namespace ringrun
