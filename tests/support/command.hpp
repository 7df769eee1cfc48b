#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace ringrun::test {

struct CommandOptions {
  std::string cwd;                         ///< empty: the caller's
  std::map<std::string, std::string> env;  ///< set over the caller's environment
  std::string input;                       ///< written to standard input, which is then closed
  std::chrono::seconds timeout{60};        ///< past it the process group is killed and exit_code is 124
};

struct CommandResult {
  int exit_code = -1;  ///< as a shell says it: 128 + signal where a signal ended it
  std::string out;
  std::string err;
  std::chrono::milliseconds elapsed{0};
};

/// Runs a real program to its end. Throws std::system_error where it cannot be started.
CommandResult run_command(const std::vector<std::string>& argv, const CommandOptions& options = {});

/// Absolute path of a program in the build's bin folder.
std::string built_program(const std::string& name);

}  // namespace ringrun::test
