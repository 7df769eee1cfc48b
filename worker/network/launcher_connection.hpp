#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ringrun::worker {

/// The addresses of this host by which the launcher's processes here (this process's ancestors: mpirun, its daemon, the
/// sshd that started it) are connected with other hosts: the ways between hosts that are known to work. Each once;
/// empty where the ancestors' sockets may not be read. `proc` is the folder of the kernel's process files.
std::vector<std::string> addresses_towards_launcher(const std::filesystem::path& proc = "/proc");

}  // namespace ringrun::worker
