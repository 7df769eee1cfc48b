#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/hosts/host_list.hpp"

namespace ringrun {

using Lookup = std::function<std::optional<std::string>(const std::string&)>;

/// The words of the remote shell that Open MPI would use: from --mca, else from the environment, else ssh. Of
/// alternatives "ssh : rsh" the first that `find_program` finds. Empty where none is found.
std::vector<std::string> remote_shell_words(const std::vector<std::pair<std::string, std::string>>& parameters,
                                            const Lookup& environment, const Lookup& find_program, int timeout_seconds);

/// The remote shell as it is named there, before anybody looked for it: "ssh", "mine -q : rsh".
std::string remote_shell_name(const std::vector<std::pair<std::string, std::string>>& parameters,
                              const Lookup& environment);

/// Somebody chose the remote shell, by --mca or in the environment.
bool is_remote_shell_said(const std::vector<std::pair<std::string, std::string>>& parameters,
                          const Lookup& environment);

/// The whole command for one host: shell words, user, port, host, command. Where the host's ranks run in a container,
/// the command is for a shell in there, and `docker exec` stands before it; alone, where the container is on this host.
/// Its standard input is the command's, which so learns of any end of the way.
std::vector<std::string> remote_command(const std::vector<std::string>& shell, const Host& host,
                                        const std::vector<std::string>& command);

/// True for the names under which Open MPI 4 and 5 know the remote shell's parameter.
bool is_remote_shell_parameter(const std::string& name);

}  // namespace ringrun
